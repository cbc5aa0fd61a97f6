/**
 * Writes the classes of the IFC schemas as text files, from the definitions in web-ifc. The code that needs the classes
 * reads these files, and does not have to load web-ifc, which has 6 MB of code.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CLASS_FILES, type SchemaFamily } from '../src/schema/schema.ts'
import { loadWebIfc } from '../src/web-ifc.ts'

type EntityClass = new (...attributes: unknown[]) => object

/** A line for each class, as `CLASS_FILES` describes. A class comes after the one that it inherits from. */
export function classesOf(family: SchemaFamily): string {
  const classes = loadWebIfc()[family] as unknown as Record<string, EntityClass>
  const lines = new Map<string, string>()
  const add = (name: string): void => {
    if (lines.has(name)) return
    const parent = Object.getPrototypeOf(classes[name]).name as string
    const hasParent = parent in classes
    if (hasParent) add(parent)
    const attributes = attributesOf(classes[name]!)
    const inherited = hasParent ? attributesOf(classes[parent]!) : []
    const different = attributes.findIndex((attribute, i) => attribute !== inherited[i])
    const shared = different < 0 ? attributes.length : different
    lines.set(name, [name, hasParent ? parent : '-', shared, ...attributes.slice(shared)].join(' '))
  }
  for (const name of Object.keys(classes).sort()) add(name)
  return `${[...lines.values()].join('\n')}\n`
}

/** A constructor takes the attributes in file order. Symbols as arguments show which attribute each argument sets. */
function attributesOf(entityClass: EntityClass): string[] {
  const marks = Array.from({ length: entityClass.length }, () => Symbol())
  const attributes = Object.entries(new entityClass(...marks)).filter(([, mark]) => typeof mark === 'symbol')
  return attributes
    .toSorted(([, one], [, other]) => marks.indexOf(one) - marks.indexOf(other))
    .map(([attribute]) => attribute)
}

export const written = (family: SchemaFamily): string => readFileSync(CLASS_FILES[family], 'utf8')

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [family, file] of Object.entries(CLASS_FILES)) writeFileSync(file, classesOf(family as SchemaFamily))
