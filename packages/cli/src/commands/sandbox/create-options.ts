/** The options of `svc sandbox create`. `create.ts` declares them; its help texts name the service's defaults. */
export interface CreateOptions {
  name?: string
  type?: 'mall' | 'office'
  storeys?: number
  areaSqm?: number
  ttlDays?: number
  seedTelemetryDays?: number
  spacesMin?: number
  spacesMax?: number
  equipmentDensity?: 'sparse' | 'realistic' | 'dense'
  occupancyProfile?: '24x7' | 'office-hours' | 'peak-evenings'
  seed?: string
  dryRun?: true
  storey?: string
  out?: string
  wait: boolean
}
