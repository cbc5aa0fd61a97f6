export interface RequestCategory {
  readonly slug: string
  readonly name: string
}

export const requestCategories = [
  { slug: 'hvac', name: 'Heating, ventilation and cooling' },
  { slug: 'electrical', name: 'Electrical' },
  { slug: 'plumbing', name: 'Plumbing' },
  { slug: 'lifts', name: 'Lifts and escalators' },
  { slug: 'cleaning', name: 'Cleaning' },
  { slug: 'security', name: 'Security and access' },
  { slug: 'it', name: 'Information technology' },
  { slug: 'other', name: 'Other' },
] as const satisfies readonly RequestCategory[]
