/**
 * Removes the commands that need the packages of a module, because npm would install those from the registry;
 * acceptance/cli/module.test.ts runs them. The rest runs in a subshell, so that later blocks start in the same folder.
 */
export function withoutPackages(text: string): string {
  if (!text.startsWith('svc module create')) return text
  const commands = text
    .split('\n')
    .filter((line) => !/^(npm run|svc module doctor)\b/.test(line))
    .map((line) => line.replace(/^svc module create/, '$& --no-install').replace(/^svc open/, '$& --no-browser'))
  return `(\n${commands.join('\n')}\n)\n`
}
