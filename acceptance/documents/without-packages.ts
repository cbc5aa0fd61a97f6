/**
 * The commands that create and show a module, without those that need its packages: npm would install them from the
 * registry, which acceptance/cli/module.test.ts does. In a subshell, so that later blocks start in the same folder.
 */
export function withoutPackages(text: string): string {
  if (!text.startsWith('svc module create')) return text
  const commands = text
    .split('\n')
    .filter((line) => !/^(npm run|svc module doctor)\b/.test(line))
    .map((line) => line.replace(/^svc module create/, '$& --no-install').replace(/^svc open/, '$& --no-browser'))
  return `(\n${commands.join('\n')}\n)\n`
}
