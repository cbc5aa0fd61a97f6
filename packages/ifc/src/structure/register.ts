import { IfcError } from '../ifc-error.ts'
import type { LeftOut } from '../model.ts'
import { type Schema, spellAnywhere } from '../schema.ts'
import type { Entity } from '../step/entities.ts'

const GLOBAL_ID = /^[0-9A-Za-z_$]{22}$/
const MAX_PRODUCTS = 500_000

/** Who is kept under which GlobalId, and who is left out and why. */
export class Register {
  readonly leftOut: LeftOut[] = []
  readonly #schema: Schema
  readonly #keptAs = new Map<string, string>()
  #count = 0

  constructor(schema: Schema) {
    this.#schema = schema
  }

  /** The GlobalId when the entity can be kept under it. Otherwise the entity is left out, and this says null. */
  admit(entity: Entity): string | null {
    const globalId = globalIdOf(entity)
    if (globalId === null) return this.leaveOut(entity, 'its GlobalId is missing or malformed')
    if (this.#keptAs.has(globalId)) return this.leaveOut(entity, 'its GlobalId is used before in the file')
    this.#keptAs.set(globalId, entity.className)
    this.#tally()
    return globalId
  }

  leaveOut(entity: Entity, reason: string): null {
    this.#tally()
    this.leftOut.push({
      globalId: globalIdOf(entity),
      ifcClass: this.#schema.spell(entity.className) ?? spellAnywhere(entity.className) ?? entity.className,
      name: entity.text('Name'),
      reason,
    })
    return null
  }

  #tally(): void {
    if (++this.#count > MAX_PRODUCTS)
      throw new IfcError(`The model holds more than ${MAX_PRODUCTS.toLocaleString('en')} things`)
  }
}

export function globalIdOf(entity: Entity): string | null {
  const first = entity.first()
  return typeof first === 'string' && GLOBAL_ID.test(first) ? first : null
}
