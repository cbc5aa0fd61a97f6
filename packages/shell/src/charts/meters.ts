import type { PointNode } from '@storey/sdk'

const METERS = new Set(['ActiveEnergy', 'ElectricEnergy', 'ThermalEnergy', 'Energy', 'Volume'])

/**
 * Whether the value of a point is a total that only rises. Charts show the increase of a total in each interval instead
 * of the total.
 */
export const isMeter = ({ quantityKind }: Pick<PointNode, 'quantityKind'>): boolean => METERS.has(quantityKind)
