import { spaceTypes } from '@storey/contract'
import type { Locale } from '../i18n/locale.ts'
import { RUSSIAN_ELEMENT_NAMES, RUSSIAN_POINT_NAMES, RUSSIAN_ROOM_NAMES } from './node-names-ru.ts'
import { spaceTypeName } from './space-types.ts'

export type NodeKind = 'storey' | 'space' | 'element' | 'point'

/**
 * The name of a node in the language of the page. The generator of buildings (`packages/building`) gives most nodes the
 * English name of their type, often with a number; these names are translated. All other names are returned unchanged.
 */
export function nodeName(kind: NodeKind, name: string, locale: Locale): string {
  return locale === 'ru' ? RUSSIAN_NAME[kind](name) : name
}

const found = (names: ReadonlyMap<string, string>) => (name: string) => names.get(name) ?? name

/** Translates a name with or without a number, such as `Meeting room L02.05` or `Meeting room`. */
const numbered = (names: ReadonlyMap<string, string>) => (name: string) => {
  const whole = names.get(name)
  if (whole !== undefined) return whole
  const [, type = '', number = ''] = /^(.+) (\S*\d\S*)$/.exec(name) ?? []
  const russian = names.get(type)
  return russian === undefined ? name : `${russian} ${number}`
}

const ROOM_NAMES = new Map([
  ...spaceTypes.map(({ slug, name }) => [name, spaceTypeName(slug, 'ru')] as const),
  ...Object.entries(RUSSIAN_ROOM_NAMES),
])

const RUSSIAN_NAME: Record<NodeKind, (name: string) => string> = {
  storey: (name) =>
    name
      .replace(/^Ground storey$/, 'Нулевой этаж')
      .replace(/^Parking (\d+)$/, 'Парковка $1')
      .replace(/^Storey (\d+)$/, 'Этаж $1')
      .replace(/^Storey (\d+) \(top\)$/, 'Этаж $1 (верхний)'),
  space: numbered(ROOM_NAMES),
  element: numbered(new Map(Object.entries(RUSSIAN_ELEMENT_NAMES))),
  point: found(new Map(Object.entries(RUSSIAN_POINT_NAMES))),
}

interface Named {
  readonly name: string
}

const stored = new WeakMap<Named, string>()
const known = new WeakMap<Named, Named>()

/** The nodes with the names that the page shows. Repeated calls in one language return the same object for a node. */
export function withNames<Node extends Named>(kind: NodeKind, nodes: readonly Node[], locale: Locale): Node[] {
  return nodes.map((node) => {
    const name = nodeName(kind, node.name, locale)
    if (name === node.name) return node
    const before = known.get(node) as Node | undefined
    if (before?.name === name) return before
    const copy = { ...node, name }
    known.set(node, copy)
    stored.set(copy, node.name)
    return copy
  })
}

/** The name of a node as it is stored, for example to edit it. */
export const storedName = (node: Named): string => stored.get(node) ?? node.name
