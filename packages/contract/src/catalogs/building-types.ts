export interface BuildingTypeEntry {
  readonly slug: string
  readonly name: string
}

export const buildingTypes = [
  { slug: 'office', name: 'Office building' },
  { slug: 'mall', name: 'Shopping mall' },
] as const satisfies readonly BuildingTypeEntry[]
