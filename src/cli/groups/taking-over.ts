import type { Command } from 'commander';
import type { Runner } from './shared.ts';
import { collect, examples } from './shared.ts';

/** Commands that take over what exists: init, export, import. */
export function addTakingOver(program: Command, run: Runner): void {
  const init = program
    .command('init')
    .description('set up a folder for a project: asks, writes the manifest, and exports what is there')
    .option('--url <url>', 'address of the platform')
    .option('--project <id>', 'id or name of the project')
    .option('--no-export', 'write a manifest without resources')
    .option(
      '--with-secrets <file>',
      'write the values of the secrets too: an env file that only you can read, or *.age',
    )
    .option('--age-recipient <recipient>', 'encrypt the values for it, as age1…; repeatable', collect)
    .option('--yes', 'ask nothing')
    .addHelpText(
      'after',
      examples('trueup init', 'trueup init --url https://deploy.example.com --project prj_1 --yes'),
    );
  run(init, async () => (await import('../commands/init.ts')).initCommand(init.opts()));
  const exportProject = program
    .command('export')
    .description('write what the platform has as a manifest; changes nothing on the platform')
    .option('--out <dir>', 'folder of the new manifest (default: the current one)')
    .option('--url <url>', 'address of the platform, where no manifest and no TRUEUP_URL names it')
    .option('--project <id>', 'id or name of the project, where no manifest names it')
    .option('--unmanaged', 'beside a manifest that is there: add what it does not manage, and leave the rest as it is')
    .option('--address <address>', 'add one object, with all below it, to the manifest that is there')
    .option(
      '--with-secrets <file>',
      'write the values of the secrets too: an env file that only you can read, or *.age',
    )
    .option('--age-recipient <recipient>', 'encrypt the values for it, as age1…; repeatable', collect)
    .option('--from-terraform <file>', 'name blocks like the addresses of a Terraform state, and say what differs')
    .option('--force', 'replace files that are there')
    .addHelpText(
      'after',
      examples(
        'trueup export --url https://deploy.example.com --project prj_1',
        'trueup export --from-terraform terraform.tfstate',
        'trueup export --out infra --with-secrets infra/secrets.env',
        'trueup export --unmanaged',
        'trueup export --address production.compose.shop',
        'trueup export --with-secrets secrets.env.age --age-recipient age1…',
      ),
    );
  run(exportProject, async () => (await import('../commands/export.ts')).exportCommand(exportProject.opts()));
  const importObject = program
    .command('import')
    .description('adopt an existing object at an address')
    .argument('<address>', 'address of the resource, as in plans')
    .argument('<id>', 'id of the object; write -- before one that begins with a hyphen')
    .addHelpText(
      'after',
      examples(
        'trueup import production.postgres.main pg_123',
        'trueup import \'production.compose.shop.domains["shop.example.com"]\' dom_7',
        'trueup import -- production.redis.cache -x8Kd_1',
      ),
    );
  run(importObject, async () => {
    const [address = '', id = ''] = importObject.args;
    return (await import('../commands/import.ts')).importCommand({ address, id });
  });
}
