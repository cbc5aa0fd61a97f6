import { describe, expect, it } from 'vitest'
import { classesOf, written } from '../../scripts/write-classes.ts'
import { CLASS_FILES, Schema, type SchemaFamily, spellInAnySchema } from './schema.ts'

const FAMILIES = Object.keys(CLASS_FILES) as SchemaFamily[]

describe('the classes in the generated files', () => {
  it.each(FAMILIES)('are those of web-ifc: %s', (family) => {
    expect(written(family), 'run node scripts/run.mjs packages/ifc/scripts/write-classes.ts').toBe(classesOf(family))
  })
})

describe('a schema', () => {
  it.each([
    ['IFC2X3', 'IFC2X3'],
    ['IFC4', 'IFC4'],
    ['IFC4X3_ADD2', 'IFC4X3'],
    ['IFC4X1', 'IFC4X3'],
  ])('has the classes of its family: %s', (name, family) => {
    expect(new Schema(name).family).toBe(family)
  })

  it('spells a class as the standard does', () => {
    const schema = new Schema('IFC4')
    expect(schema.spell('IFCBUILDINGSTOREY')).toBe('IfcBuildingStorey')
    expect(schema.spell('IfcBuildingStorey')).toBe('IfcBuildingStorey')
    expect(schema.spell('IFCNOTHING')).toBeNull()
  })

  it('knows from which classes a class inherits', () => {
    const schema = new Schema('IFC4')
    expect(schema.isA('IFCBUILDINGSTOREY', 'IfcBuildingStorey')).toBe(true)
    expect(schema.isA('IFCBUILDINGSTOREY', 'IfcProduct')).toBe(true)
    expect(schema.isA('IFCBUILDINGSTOREY', 'IfcRoot')).toBe(true)
    expect(schema.isA('IFCBUILDINGSTOREY', 'IfcElement')).toBe(false)
    expect(schema.isA('IFCNOTHING', 'IfcRoot')).toBe(false)
  })

  it('knows the positions of inherited and own attributes', () => {
    const schema = new Schema('IFC4')
    expect(schema.position('IFCBUILDINGSTOREY', 'GlobalId')).toBe(0)
    expect(schema.position('IFCBUILDINGSTOREY', 'Name')).toBe(2)
    expect(schema.position('IFCBUILDINGSTOREY', 'Elevation')).toBe(9)
    expect(schema.position('IFCBUILDINGSTOREY', 'Tag')).toBeNull()
    expect(schema.attributeCount('IFCBUILDINGSTOREY')).toBe(10)
  })

  it('knows a class whose attributes differ from those of its parent', () => {
    const schema = new Schema('IFC4')
    expect(schema.isA('IFCSIUNIT', 'IfcNamedUnit')).toBe(true)
    expect(schema.position('IFCSIUNIT', 'Prefix')).toBe(1)
    expect(schema.position('IFCNAMEDUNIT', 'UnitType')).toBe(1)
  })
})

describe('the spelling in any schema', () => {
  it('is found even if only one schema has the class', () => {
    expect(spellInAnySchema('IFCLAMP')).toBe('IfcLamp')
    expect(spellInAnySchema('IFCELECTRICDISTRIBUTIONPOINT')).toBe('IfcElectricDistributionPoint')
    expect(spellInAnySchema('IFCRAIL')).toBe('IfcRail')
    expect(spellInAnySchema('IFCNOTHING')).toBeNull()
  })
})
