import Type, { type Static } from 'typebox'
import { closed } from './closed.ts'
import { NodeId, Uuid } from './ids.ts'
import { ListOf, PageQuery } from './lists.ts'
import { ModuleSlug } from './registry.ts'
import { Timestamp } from './timestamps.ts'

export const NewLicense = Type.Object({ moduleSlug: ModuleSlug, buildingId: NodeId }, closed)
export type NewLicense = Static<typeof NewLicense>
export const LicenseRecord = Type.Object(
  { licenseId: Uuid, moduleSlug: Type.String(), buildingId: Uuid, createdAt: Timestamp, createdBy: Type.String() },
  { $id: 'License' },
)
export type LicenseRecord = Static<typeof LicenseRecord>
export const LicenseList = ListOf(LicenseRecord)
export const LicenseQuery = Type.Object(
  { ...PageQuery, moduleSlug: Type.Optional(ModuleSlug), buildingId: Type.Optional(NodeId) },
  closed,
)
export type LicenseQuery = Static<typeof LicenseQuery>
