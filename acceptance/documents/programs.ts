import { stripTypeScriptTypes } from 'node:module'

/** The variables that the blocks of a document have declared so far, and those that a reader would have. */
export type Scope = Record<string, unknown>

const AsyncFunction = (async () => undefined).constructor as new (
  ...words: string[]
) => (scope: Scope, load: (name: string) => Promise<unknown>) => Promise<Scope>

const IMPORT = /^import \{([^}]*)\} from '([^']+)'$/gm
const DECLARED = /^(?:(?:const|let) (?:(\w+)|\{([^}]*)\})|(?:async )?function (\w+))/gm

/**
 * Runs a program of a document. The program sees the variables that earlier programs declared, and may declare the same
 * names again.
 */
export async function runProgram(text: string, scope: Scope): Promise<string> {
  const printed: string[] = []
  const print = (...values: unknown[]) => void printed.push(values.map(String).join(' '))
  const code = stripTypeScriptTypes(
    text.replaceAll(IMPORT, (_, names, from) => `const {${names}} = await load('${from}')`),
  )
  const names = [...code.matchAll(DECLARED)].flatMap(([, one, several, name]) =>
    several === undefined ? [one ?? name!] : several.split(',').map((word) => word.trim().split(':').at(-1)!.trim()),
  )
  const run = new AsyncFunction('scope', 'load', `with (scope) {\n${code}\nreturn { ${names.join(', ')} }\n}`)
  const console = { log: print, error: print }
  Object.assign(
    scope,
    await run({ ...scope, console }, (name) =>
      name === 'node:process' ? Promise.resolve(scope.process) : import(name),
    ),
  )
  // A later check also sees what the program prints after the block has ended.
  scope.printed = printed
  return printed.join('\n')
}
