import { IFC2X3, IFC4, IFC4X3 } from './web-ifc.ts'

type EntityClass = new (...attributes: unknown[]) => object
type Classes = Record<string, EntityClass>

export type SchemaFamily = 'IFC2X3' | 'IFC4' | 'IFC4X3'

const families: Record<SchemaFamily, Classes> = {
  IFC2X3: IFC2X3 as unknown as Classes,
  IFC4: IFC4 as unknown as Classes,
  IFC4X3: IFC4X3 as unknown as Classes,
}

export function familyOf(schema: string): SchemaFamily {
  if (schema.startsWith('IFC2X3')) return 'IFC2X3'
  return schema.startsWith('IFC4X') ? 'IFC4X3' : 'IFC4'
}

/** The classes of a schema, from the definitions that web-ifc generates from the standard. */
export class Schema {
  readonly family: SchemaFamily
  readonly #classes: Classes
  readonly #spelling: Map<string, string>
  readonly #positions = new Map<string, Map<string, number>>()
  readonly #ancestors = new Map<string, ReadonlySet<string>>()

  constructor(schema: string) {
    this.family = familyOf(schema)
    this.#classes = families[this.family]
    this.#spelling = new Map(Object.keys(this.#classes).map((name) => [name.toUpperCase(), name]))
  }

  /** The name in the spelling of the standard, or null if the schema has no such class. */
  spell(className: string): string | null {
    return this.#spelling.get(className.toUpperCase()) ?? null
  }

  /** Whether a class is the given one or inherits from it. */
  isA(className: string, ancestor: string): boolean {
    return this.#ancestorsOf(className.toUpperCase()).has(ancestor)
  }

  /** The position of an attribute among the arguments, or null if the class has no such attribute. */
  position(className: string, attribute: string): number | null {
    return this.#positionsIn(className).get(attribute) ?? null
  }

  attributeCount(className: string): number {
    return this.#positionsIn(className).size
  }

  #positionsIn(className: string): Map<string, number> {
    const known = this.#positions.get(className)
    if (known !== undefined) return known
    const positions = this.#positionsOf(className)
    this.#positions.set(className, positions)
    return positions
  }

  #ancestorsOf(className: string): ReadonlySet<string> {
    const known = this.#ancestors.get(className)
    if (known !== undefined) return known
    const ancestors = new Set<string>()
    const spelled = this.#spelling.get(className)
    if (spelled !== undefined) {
      ancestors.add(spelled)
      for (let at = Object.getPrototypeOf(this.#classes[spelled]); at?.name; at = Object.getPrototypeOf(at))
        ancestors.add(at.name)
    }
    this.#ancestors.set(className, ancestors)
    return ancestors
  }

  /** A constructor takes the attributes in file order. Symbols as arguments show which attribute each argument sets. */
  #positionsOf(className: string): Map<string, number> {
    const spelled = this.#spelling.get(className.toUpperCase())
    if (spelled === undefined) return new Map()
    const entityClass = this.#classes[spelled]!
    const marks = Array.from({ length: entityClass.length }, () => Symbol())
    const attributes = Object.entries(new entityClass(...marks)).filter(([, mark]) => typeof mark === 'symbol')
    return new Map(attributes.map(([name, mark]) => [name, marks.indexOf(mark)]))
  }
}

const anywhere = new Map<string, string>()
for (const classes of [families.IFC2X3, families.IFC4X3, families.IFC4])
  for (const name of Object.keys(classes)) anywhere.set(name.toUpperCase(), name)

/** The spelling in any supported schema. For example, IFC2X3 has IfcLampType, but IfcLamp exists only since IFC4. */
export function spellInAnySchema(className: string): string | null {
  return anywhere.get(className.toUpperCase()) ?? null
}
