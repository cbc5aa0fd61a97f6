import { canonicalEmail, emailAddress, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUniqueViolation } from '@storey/kit/database'
import { newDeveloperId, newOrganizationId } from '../../ids.ts'
import * as store from './organizations.store.ts'

export const DEMO = { organizationId: 'org_demo', email: 'developer@example.com' } as const

export type Organizations = ReturnType<typeof createOrganizations>

/** Organizations and developers, created by the operator. */
export function createOrganizations({ control, clock }: { control: Database; clock: Clock }) {
  async function create(name: string): Promise<{ id: string; name: string }> {
    const trimmed = name.trim()
    if (trimmed === '' || trimmed.length > 100) throw problems.field('name', 'name must have 1 to 100 characters')
    const id = newOrganizationId()
    await store.insertOrganization(control, id, trimmed, clock.now())
    return { id, name: trimmed }
  }

  /**
   * Creates a developer. If the organization already has this developer and `isIncomplete` returns true, returns the
   * existing developer: an earlier command may have been killed after it created the developer and before it created
   * the rest of the invitation.
   */
  async function invite(
    email: string,
    organizationId: string,
    isIncomplete: (developer: store.Developer) => Promise<boolean> = async () => false,
  ): Promise<store.Developer> {
    const address = emailAddress(email)
    if (!(await store.organizationExists(control, organizationId))) throw problems.notFound('organization')
    const known = await store.findDeveloper(control, address)
    if (known?.organizationId === organizationId && (await isIncomplete(known))) return known
    const developer = { id: newDeveloperId(), organizationId, email: address }
    try {
      await store.insertDeveloper(control, developer, clock.now())
    } catch (err) {
      if (isUniqueViolation(err)) throw problems.conflict('email', `${address} has an account already`)
      throw err
    }
    return developer
  }

  /** The developer with this email address; without an address, the first developer of the organization. */
  async function findDeveloper(organizationId: string, email?: string): Promise<store.Developer> {
    if (!(await store.organizationExists(control, organizationId))) throw problems.notFound('organization')
    const developer = await (email === undefined
      ? store.oldestDeveloper(control, organizationId)
      : store.findDeveloper(control, canonicalEmail(email)))
    if (developer?.organizationId !== organizationId) throw problems.notFound('developer in this organization')
    return developer
  }

  /** Creates the organization and the developer of `DEMO`, which development mode uses, if they do not exist. */
  async function ensureDemo(): Promise<store.Developer> {
    await store.insertOrganization(control, DEMO.organizationId, 'Demo', clock.now())
    return (await store.findDeveloper(control, DEMO.email)) ?? (await invite(DEMO.email, DEMO.organizationId))
  }

  return { create, invite, findDeveloper, ensureDemo }
}
