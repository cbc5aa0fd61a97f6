import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** An export of the package: the entry point, the name and the stability tag. */
export interface Exported {
  entry: string
  name: string
  tag: 'stable' | 'experimental' | undefined
  deprecated: boolean
}

const SOURCE = fileURLToPath(new URL('../src', import.meta.url))
export const ENTRIES = { '.': 'index.ts', './module': 'module/index.ts' }

const REEXPORT = /export (type )?(\*|\{[^}]*\}) from \x27([^\x27]+)\x27/g
const DECLARATION =
  /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:abstract )?(?:async )?(?:const|function|class|interface|type) (\w+)/g

export function readExports(): Exported[] {
  return Object.entries(ENTRIES).flatMap(([entry, file]) => exportsOf(entry, join(SOURCE, file)))
}

function exportsOf(entry: string, file: string): Exported[] {
  const text = readFileSync(file, 'utf8')
  const declared = declarationsOf(entry, text)
  const passedOn = [...text.matchAll(REEXPORT)].flatMap(([, , names, from]) => {
    const all = exportsOf(entry, join(dirname(file), from!))
    if (names === '*') return all
    return namesIn(names!).map((name) => {
      const found = all.find((each) => each.name === name)
      if (!found) throw new Error(`${file} exports ${name}, which ${from} does not have`)
      return found
    })
  })
  return [...declared, ...passedOn]
}

const namesIn = (list: string) =>
  list
    .slice(1, -1)
    .split(',')
    .map((name) => name.replace(/^\s*type /, '').trim())
    .filter((name) => name !== '')

function declarationsOf(entry: string, text: string): Exported[] {
  return [...text.matchAll(DECLARATION)].map(([, comment = '', name]) => {
    const tag = /@(stable|experimental)\b/.exec(comment)?.[1] as Exported['tag']
    return { entry, name: name!, tag, deprecated: /@deprecated\b/.test(comment) }
  })
}
