import type { Flag, Node } from './words.ts'

/** For each command, the script has a function that passes the options of the command to zsh's `_arguments`. */
export function zshScript(nodes: readonly Node[]): string {
  return `#compdef svc
# svc completion for zsh: save it as _svc in a folder of $fpath
${nodes.map(functionOf).join('\n')}
if [ "$funcstack[1]" = _svc ]; then _svc "$@"; else compdef _svc svc; fi
`
}

function functionOf(node: Node): string {
  const name = nameOf(node.path)
  const specs = node.options.map((flag) => `    ${specOf(flag)} \\`).join('\n')
  if (node.commands.length === 0) {
    const rest = node.takesFile ? "'*:file:_files'" : `'*:argument:(${node.choices.join(' ')})'`
    return `${name}() {
  _arguments -s \\
${specs}
    ${rest}
}`
  }
  const entries = node.commands.map((child) => `    ${quoted(`${child.name}:${child.description}`)}`).join('\n')
  const calls = node.commands.map((child) => `      ${child.name}) ${nameOf([...node.path, child.name])} ;;`).join('\n')
  return `${name}() {
  local state line
  local -a commands=(
${entries}
  )
  _arguments -C \\
${specs}
    '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest) case $line[1] in
${calls}
    esac ;;
  esac
}`
}

function specOf({ long, description, takesValue, choices, takesFile }: Flag): string {
  const about = `[${description.replace(/[[\]:]/g, '\\$&')}]`
  if (!takesValue) return quoted(`${long}${about}`)
  const values = takesFile ? '_files' : choices.length === 0 ? ' ' : `(${choices.join(' ')})`
  return quoted(`${long}=${about}:value:${values}`)
}

const nameOf = (path: readonly string[]) => ['_svc', ...path].join('_')
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
