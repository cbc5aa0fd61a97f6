/** The part of JSON Schema that the contract uses. */
export interface Schema {
  $id?: string
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  additionalProperties?: boolean | Schema
  description?: string
}

/** Prints TypeScript for schemas. Named schemas are printed by their name. */
export class TypePrinter {
  readonly #byId = new Map<string, string>()
  readonly #byShape = new Map<string, string>()

  constructor(named: Iterable<[name: string, schema: Schema]>) {
    for (const [name, schema] of named) {
      if (schema.$id !== undefined) this.#byId.set(schema.$id, name)
      if (schema.properties && !this.#byShape.has(shapeOf(schema))) this.#byShape.set(shapeOf(schema), name)
    }
  }

  declaration(name: string, schema: Schema): string {
    const comment = commentOf([schema.description, '@stable'].filter((line) => line !== undefined).join('\n\n'))
    const open = schema.additionalProperties === true
    if (!schema.properties || schema.type !== 'object') return `${comment}export type ${name} = ${this.#type(schema)}\n`
    return `${comment}export interface ${name} ${this.#members(schema, open)}\n`
  }

  #type(schema: Schema): string {
    if (schema.$ref !== undefined) return this.#named(schema.$ref)
    const name = schema.properties && this.#byShape.get(shapeOf(schema))
    if (name) return name
    // An enum with `type: 'string'` lists the names in a catalog. It is printed as `string`, because records have the same
    // field as a `string`.
    if (schema.enum && schema.type !== 'string') return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    if (schema.anyOf) return [...new Set(schema.anyOf.map((branch) => this.#type(branch)))].join(' | ')
    if (Array.isArray(schema.type)) return schema.type.map((type) => this.#type({ ...schema, type })).join(' | ')
    return this.#plain(schema)
  }

  #plain(schema: Schema): string {
    switch (schema.type) {
      case 'string':
      case 'boolean':
      case 'null':
        return schema.type
      case 'integer':
      case 'number':
        return 'number'
      case 'array':
        return this.#array(schema)
      case 'object':
        return schema.properties && Object.keys(schema.properties).length > 0
          ? this.#members(schema, schema.additionalProperties === true)
          : 'Record<string, unknown>'
      default:
        return 'unknown'
    }
  }

  #array({ items = {}, minItems, maxItems }: Schema): string {
    const type = this.#type(items)
    if (minItems === 2 && maxItems === 2) return `[${type}, ${type}]`
    return /^\w+$/.test(type) ? `${type}[]` : `Array<${type}>`
  }

  #members({ properties = {}, required = [] }: Schema, open: boolean): string {
    const lines = Object.entries(properties).map(([field, schema]) => {
      const key = /^\w+$/.test(field) ? field : JSON.stringify(field)
      return `${commentOf(schema.description)}${key}${required.includes(field) ? '' : '?'}: ${this.#type(schema)}\n`
    })
    return `{\n${lines.join('')}${open ? '[further: string]: unknown\n' : ''}}`
  }

  #named(id: string): string {
    const name = this.#byId.get(id)
    if (name === undefined) throw new Error(`${id} is referenced and has no type: name it in write-wire.ts`)
    return name
  }
}

/** A schema without its id and description, as JSON. Schemas with the same JSON are printed with the same name. */
const shapeOf = (schema: Schema): string => {
  const { $id: _id, description: _description, ...shape } = schema
  return JSON.stringify(shape)
}

function commentOf(description: string | undefined): string {
  if (description === undefined) return ''
  const lines = description.replaceAll('*/', '* /').split('\n').flatMap(wrapped)
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

const WIDTH = 100

function wrapped(line: string): string[] {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + word.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
