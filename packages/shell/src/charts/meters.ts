import type { PointNode } from '@storey/sdk'

const METERS = new Set(['ActiveEnergy', 'ElectricEnergy', 'ThermalEnergy', 'Energy', 'Volume'])

/** Whether the value of a point is a total that only rises. Its increase per interval is more useful than its value. */
export const isMeter = ({ quantityKind }: Pick<PointNode, 'quantityKind'>): boolean => METERS.has(quantityKind)
