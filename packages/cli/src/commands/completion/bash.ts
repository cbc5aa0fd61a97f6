import type { Node } from './words.ts'

/** Bash splits at "=", so the value of --format=json is a separate word after "=". */
export function bashScript(nodes: readonly Node[]): string {
  const paths = nodes.map(({ path }) => `      ${pattern(path)}) known=1 ;;`)
  const cases = nodes.map(
    ({ path, commands, options, choices, takesFile }) => `    ${pattern(path)})
      words='${[...commands.map(({ name }) => name), ...choices].join(' ')}'
      flags='${options.map(({ long }) => long).join(' ')}'
      files=${takesFile ? 1 : 0} ;;`,
  )
  const flags = uniqueFlags(nodes).filter(({ takesValue }) => takesValue)
  const values = flags.map(({ long, choices, takesFile }) => {
    const does = takesFile
      ? 'compopt -o default; COMPREPLY=()'
      : `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur"))`
    return `    ${long}) ${does}; return ;;`
  })
  return `# svc completion for bash: eval "$(svc completion bash)"
_svc() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= word skip= known words= flags= files=0 i
  COMPREPLY=()
  if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [ -n "$skip" ]; then [ "$word" = = ] || skip=; continue; fi
    case $word in
      ${flags.map(({ long }) => long).join('|')}) skip=1; continue ;;
      -*|=) continue ;;
    esac
    known=
    case "$path\${path:+ }$word" in
${paths.slice(1).join('\n')}
    esac
    [ -n "$known" ] && path="$path\${path:+ }$word"
  done
  case $prev in
${values.join('\n')}
  esac
  case $path in
${cases.join('\n')}
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    [ $files = 1 ] && compopt -o default
  fi
}
complete -F _svc svc
`
}

const pattern = (path: readonly string[]) => `'${path.join(' ')}'`

function uniqueFlags(nodes: readonly Node[]) {
  const byName = new Map(nodes.flatMap(({ options }) => options).map((flag) => [flag.long, flag]))
  return [...byName.values()]
}
