import type { Command, Option } from 'commander'

/** The words that can follow a command. The scripts of all shells are generated from these. */
export interface Node {
  /** The words of the command, without `svc`. */
  path: readonly string[]
  commands: readonly { name: string; description: string }[]
  options: readonly Flag[]
  /** The values of the first argument, if it is an enumeration. */
  choices: readonly string[]
  takesFile: boolean
}

export interface Flag {
  long: string
  short: string | undefined
  description: string
  takesValue: boolean
  choices: readonly string[]
  takesFile: boolean
}

export function wordsOf(program: Command): Node[] {
  const everywhere = program.options.filter(({ long }) => long !== '--version').map(flagOf)
  const nodes: Node[] = []
  const visit = (command: Command, path: readonly string[]) => {
    const own = path.length === 0 ? program.options.map(flagOf) : [...command.options.map(flagOf), ...everywhere]
    const [first] = command.registeredArguments
    nodes.push({
      path,
      commands: command.commands.map((child) => ({ name: child.name(), description: child.description() })),
      options: [...own, HELP],
      choices: first?.argChoices ?? [],
      takesFile: first !== undefined && /file/.test(first.name()),
    })
    for (const child of command.commands) visit(child, [...path, child.name()])
  }
  visit(program, [])
  return nodes
}

function flagOf({ long, short, description, required, optional, argChoices, flags }: Option): Flag {
  return {
    long: long!,
    short,
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
    takesFile: /<(file|folder)>/.test(flags),
  }
}

const HELP: Flag = {
  ...{ long: '--help', short: '-h', description: 'show help' },
  ...{ takesValue: false, choices: [], takesFile: false },
}
