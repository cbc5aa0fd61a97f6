import type { IfcFileSpec } from './spec.ts'
import { enumValue, type RawText, type StepWriter, typed } from './step-writer.ts'

export const METRES = { METRE: 1, MILLIMETRE: 0.001, FOOT: 0.3048 }

export function units(writer: StepWriter, unit: NonNullable<IfcFileSpec['lengthUnit']>): RawText {
  const prefix = unit === 'MILLIMETRE' ? '.MILLI.' : '$'
  const metre = writer.line('IfcSIUnit', `*,.LENGTHUNIT.,${prefix},.METRE.`)
  const square = writer.line('IfcSIUnit', '*,.AREAUNIT.,$,.SQUARE_METRE.')
  if (unit !== 'FOOT') return writer.add('IfcUnitAssignment', { Units: [metre, square] })
  const foot = converted(writer, 'LENGTHUNIT', 'FOOT', 'IfcLengthMeasure', METRES.FOOT, metre)
  const squareFoot = converted(writer, 'AREAUNIT', 'SQUARE FOOT', 'IfcAreaMeasure', METRES.FOOT ** 2, square)
  return writer.add('IfcUnitAssignment', { Units: [foot, squareFoot] })
}

function converted(
  writer: StepWriter,
  unitType: string,
  name: string,
  measure: string,
  factor: number,
  base: RawText,
): RawText {
  const exponents = unitType === 'AREAUNIT' ? '2,0,0,0,0,0,0' : '1,0,0,0,0,0,0'
  return writer.add('IfcConversionBasedUnit', {
    Dimensions: writer.line('IfcDimensionalExponents', exponents),
    UnitType: enumValue(unitType),
    Name: name,
    ConversionFactor: writer.add('IfcMeasureWithUnit', {
      ValueComponent: typed(measure, factor),
      UnitComponent: base,
    }),
  })
}
