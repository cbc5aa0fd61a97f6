import { describe, expect, it } from 'vitest'
import {
  buildingTypes,
  catalogs,
  elementTypeOfIfc,
  elementTypes,
  quantityKinds,
  spaceTypes,
  unit,
  unitsOf,
} from './index.ts'

describe('catalogs', () => {
  it('give every entry of a catalog its own slug or name', () => {
    for (const entries of Object.values(catalogs)) {
      const keys = entries.map((entry) => ('slug' in entry ? entry.slug : entry.name))
      expect(new Set(keys).size).toBe(keys.length)
    }
  })

  it('give every quantity kind units that exist', () => {
    for (const kind of quantityKinds) {
      expect(kind.units.length, kind.name).toBeGreaterThan(0)
      for (const name of kind.units) expect(unit(name), name).toBeDefined()
    }
    expect(unitsOf('Temperature')).toContain('DEG_C')
    expect(unitsOf('Charm')).toEqual([])
  })

  it('have space types that name only known building types', () => {
    const known = new Set<string>(buildingTypes.map((type) => type.slug))
    for (const type of spaceTypes) for (const slug of type.buildingTypes) expect(known).toContain(slug)
  })

  it('find the element type of an IFC class in upper or mixed case, and the first one of the class if the predefined type is unknown', () => {
    expect(elementTypeOfIfc('IFCSENSOR', 'CO2SENSOR')?.slug).toBe('co2-sensor')
    expect(elementTypeOfIfc('IfcChiller', 'AIRCOOLED')?.slug).toBe('chiller')
    expect(elementTypeOfIfc('IfcWall')).toBeUndefined()
  })

  it('have well-formed IFC names', () => {
    for (const type of elementTypes) expect(type.ifcClass).toMatch(/^Ifc[A-Z]/)
  })
})
