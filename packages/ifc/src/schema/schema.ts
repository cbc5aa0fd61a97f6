import { readFileSync } from 'node:fs'

export type SchemaFamily = 'IFC2X3' | 'IFC4' | 'IFC4X3'

/**
 * The classes of the schemas, written by `scripts/write-classes.ts`. A line has the name of a class, its parent class
 * or `-`, a number n, and attributes, such as `IfcObject IfcObjectDefinition 4 ObjectType`. The attributes of the class
 * are the first n attributes of its parent, followed by those in the line. They have the order of the arguments in an
 * IFC file.
 */
export const CLASS_FILES: Record<SchemaFamily, URL> = {
  IFC2X3: new URL('./IFC2X3.txt', import.meta.url),
  IFC4: new URL('./IFC4.txt', import.meta.url),
  IFC4X3: new URL('./IFC4X3.txt', import.meta.url),
}

interface EntityClass {
  /** In the spelling of the standard. */
  name: string
  /** The class itself and all that it inherits from. */
  lineage: ReadonlySet<string>
  attributes: readonly string[]
}

/** By name in capital letters. */
type Classes = ReadonlyMap<string, EntityClass>

export function familyOf(schema: string): SchemaFamily {
  if (schema.startsWith('IFC2X3')) return 'IFC2X3'
  return schema.startsWith('IFC4X') ? 'IFC4X3' : 'IFC4'
}

const known = new Map<SchemaFamily, Classes>()

function classesOf(family: SchemaFamily): Classes {
  const classes = known.get(family) ?? readClasses(CLASS_FILES[family])
  known.set(family, classes)
  return classes
}

function readClasses(file: URL): Classes {
  const classes = new Map<string, EntityClass>()
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const [name, parent, shared, ...others] = line.split(' ') as [string, string, string, ...string[]]
    const inherited = classes.get(parent.toUpperCase())
    classes.set(name.toUpperCase(), {
      name,
      lineage: new Set([name, ...(inherited?.lineage ?? [])]),
      attributes: [...(inherited?.attributes.slice(0, Number(shared)) ?? []), ...others],
    })
  }
  return classes
}

/** The classes of a schema. The parameter `className` of the methods is case-insensitive. */
export class Schema {
  readonly family: SchemaFamily
  readonly #classes: Classes
  readonly #positions = new Map<string, Map<string, number>>()

  constructor(schema: string) {
    this.family = familyOf(schema)
    this.#classes = classesOf(this.family)
  }

  /** The name in the spelling of the standard, or null if the schema has no such class. */
  spell(className: string): string | null {
    return this.#find(className)?.name ?? null
  }

  /** Whether a class is `ancestor` or inherits from it. `ancestor` is in the spelling of the standard. */
  isA(className: string, ancestor: string): boolean {
    return this.#find(className)?.lineage.has(ancestor) ?? false
  }

  /** The position of an attribute among the arguments, or null if the class has no such attribute. */
  position(className: string, attribute: string): number | null {
    return this.#positionsIn(className).get(attribute) ?? null
  }

  attributeCount(className: string): number {
    return this.#positionsIn(className).size
  }

  /** Most names come from a file, in capital letters. */
  #find(className: string): EntityClass | undefined {
    return this.#classes.get(className) ?? this.#classes.get(className.toUpperCase())
  }

  #positionsIn(className: string): Map<string, number> {
    const positions =
      this.#positions.get(className) ??
      new Map((this.#find(className)?.attributes ?? []).map((attribute, position) => [attribute, position]))
    this.#positions.set(className, positions)
    return positions
  }
}

/** The order in which the schemas are searched. If they spell a class differently, the spelling of IFC4 is used. */
const FAMILIES: readonly SchemaFamily[] = ['IFC4', 'IFC4X3', 'IFC2X3']

/**
 * The name in the spelling of the first schema that has the class, or null if none has it. Used for classes that the
 * schema of the file lacks: a file of IFC2X3 can have an IfcLampType, but the class IfcLamp exists only since IFC4.
 */
export function spellInAnySchema(className: string): string | null {
  const capitals = className.toUpperCase()
  for (const family of FAMILIES) {
    const found = classesOf(family).get(capitals)
    if (found !== undefined) return found.name
  }
  return null
}
