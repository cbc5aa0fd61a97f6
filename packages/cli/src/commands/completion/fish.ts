import type { Flag, Node } from './words.ts'

export function fishScript(nodes: readonly Node[]): string {
  const lines = nodes.flatMap((node) => {
    const here = conditionOf(node)
    return [
      ...node.commands.map(({ name, description }) => line(here, `-f -a ${name} -d ${quoted(description)}`)),
      ...node.choices.map((choice) => line(here, `-f -a ${choice}`)),
      ...(node.takesFile ? [line(here, '-F')] : []),
      ...node.options.map((flag) => line(here, flagOf(flag))),
    ]
  })
  return `# svc completion for fish: save it as ~/.config/fish/completions/svc.fish
complete -c svc -f
${lines.join('\n')}
`
}

const line = (condition: string, rest: string) => `complete -c svc -n ${quoted(condition)} ${rest}`

/** A fish condition that is true if the user has typed all words of this command and no subcommand. */
function conditionOf({ path, commands }: Node): string {
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
  const further =
    commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${commands.map((c) => c.name).join(' ')}`]
  return [...seen, ...further].join('; and ') || 'true'
}

function flagOf({ long, short, description, takesValue, choices, takesFile }: Flag): string {
  const names = `-l ${long.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`
  const value = !takesValue
    ? ''
    : choices.length > 0
      ? ` -x -a ${quoted(choices.join(' '))}`
      : takesFile
        ? ' -r -F'
        : ' -x'
  return `${names}${value} -d ${quoted(description)}`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
