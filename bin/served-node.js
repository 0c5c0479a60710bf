/** Whether Trueup runs on this Node; else stderr says on which. What this calls runs on each Node. */
exports.isServedNode = function isServedNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22) return true;
  process.stderr.write(
    `error: Trueup runs on Node 20 from 20.19 on, and on 22.12 or newer; this is ${process.versions.node}\n` +
      '  -> Install a current Node, or use the single file: docs/install.md\n',
  );
  process.exitCode = 1;
  return false;
};
