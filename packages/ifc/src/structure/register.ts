import { IfcError } from '../ifc-error.ts'
import type { LeftOut } from '../model.ts'
import { type Schema, spellInAnySchema } from '../schema/schema.ts'
import type { Entity } from '../step/entities.ts'

const GLOBAL_ID = /^[0-9A-Za-z_$]{22}$/
const MAX_PRODUCTS = 500_000

/** Records which entities are kept, by their GlobalId, and which are left out, with the reasons. */
export class Register {
  readonly leftOut: LeftOut[] = []
  readonly #schema: Schema
  readonly #kept = new Set<string>()
  #count = 0

  constructor(schema: Schema) {
    this.#schema = schema
  }

  /** Keeps the entity and returns its GlobalId, or leaves the entity out and returns null. */
  admit(entity: Entity): string | null {
    const globalId = globalIdOf(entity)
    if (globalId === null) return this.leaveOut(entity, 'its GlobalId is missing or malformed')
    if (this.#kept.has(globalId)) return this.leaveOut(entity, 'its GlobalId is already used in the file')
    this.#kept.add(globalId)
    this.#checkCount()
    return globalId
  }

  leaveOut(entity: Entity, reason: string): null {
    this.#checkCount()
    this.leftOut.push({
      globalId: globalIdOf(entity),
      ifcClass: this.#schema.spell(entity.className) ?? spellInAnySchema(entity.className) ?? entity.className,
      name: entity.text('Name'),
      reason,
    })
    return null
  }

  #checkCount(): void {
    if (++this.#count > MAX_PRODUCTS)
      throw new IfcError(`The model has more than ${MAX_PRODUCTS.toLocaleString('en')} products and groups`)
  }
}

export function globalIdOf(entity: Entity): string | null {
  const first = entity.first()
  return typeof first === 'string' && GLOBAL_ID.test(first) ? first : null
}
