import type { Program } from './presets.ts';

/**
 * The program that decrypts a file of sops. Its content decides about its format, not its name: sops takes a file
 * `.env.production` for bytes. YAML and JSON come out as JSON, whose keys at the top are the names.
 */
export function sopsProgram(
  path: string,
  content: string,
): Program | { readonly problem: string; readonly remedy: string } {
  const isEnv = /^sops_(?:version|mac)=/m.test(content);
  const isJson = /^\s*\{/.test(content);
  if (!isEnv && !(isJson ? /"sops"\s*:/ : /^sops:/m).test(content)) {
    const remedy = `Encrypt it with sops encrypt -i ${path}, or write { file: ${path} } for a file in clear.`;
    return { problem: 'is no file that sops has encrypted', remedy };
  }
  const format = isEnv ? 'dotenv' : isJson ? 'json' : 'yaml';
  const file = path.startsWith('-') ? `./${path}` : path;
  const prints = isEnv ? 'env' : 'json';
  return {
    words: ['sops', '--decrypt', '--input-type', format, '--output-type', isEnv ? 'dotenv' : 'json', file],
    passes: ['SOPS_AGE_KEY', 'SOPS_AGE_KEY_FILE', 'SOPS_AGE_KEY_CMD', 'SOPS_AGE_SSH_PRIVATE_KEY_FILE'],
    prints,
  };
}
