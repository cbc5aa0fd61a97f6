import type { Operation } from '@storey/contract'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { expect } from 'vitest'
import { type Answer, startTestStack, type TestStack } from '../../../testing/test-stack.ts'
import { ORGANIZATION_ID } from '../../../testing/tokens.ts'

export const UNKNOWN = '0191b6a0-0000-7000-8000-000000000000'

export interface ChangesetFixture {
  stack: TestStack
  realm: TestRealm
  /** Paths of the building and of its changesets. */
  building: string
  all: string
  /** Creates a draft. Without `authorization`, the request has the sandbox's own token. */
  draft(operations: readonly Operation[], authorization?: string): Promise<Answer>
  /** Drafts, submits and approves a changeset, and returns its path. */
  approve(operations: readonly Operation[]): Promise<string>
  /** Drafts, submits, approves and applies a changeset, and returns its path. */
  apply(operations: readonly Operation[]): Promise<string>
  /** The graph and its revision. */
  state(): Promise<{ nodes: unknown[]; revision: number }>
  signIn(name: string, roles?: string[], claims?: Record<string, unknown>): Promise<string>
  /** The id of a seeded storey, and the ids of its spaces. */
  storey: string
  spaces: string[]
  /** The id of a seeded element, and the ids of its points. */
  element: string
  points: string[]
  close(): Promise<void>
}

export async function startChangesets(): Promise<ChangesetFixture> {
  const realm = await startTestRealm('/realms/sandboxes')
  const stack = await startTestStack({ sandboxesIssuer: realm.issuer })
  const building = `/api/v1/buildings/${stack.seeded.buildingId}`
  const all = `${building}/changesets`
  const draft: ChangesetFixture['draft'] = (operations, authorization) =>
    stack.send('POST', all, { title: 'A change', operations }, authorization)
  const step = async (path: string, name: string, body?: unknown) => {
    const answer = await stack.send('POST', `${path}/${name}`, body)
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  }
  const approve: ChangesetFixture['approve'] = async (operations) => {
    const made = await draft(operations)
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
    const path = `${all}/${made.body.id}`
    await step(path, 'submit')
    await step(path, 'review', { decision: 'approve' })
    return path
  }
  const first = stack.building.points[0]!
  const [storey] = stack.building.storeys
  return {
    stack,
    realm,
    building,
    all,
    draft,
    approve,
    async apply(operations) {
      const path = await approve(operations)
      await step(path, 'apply')
      return path
    },
    async state() {
      const { body } = await stack.get(`${building}/graph`)
      const { storeys, spaces, elements, points } = body
      return { nodes: [storeys, spaces, elements, points], revision: body.revision }
    },
    signIn: async (sub, roles = ['manager'], claims = {}) =>
      `Bearer ${await realm.sign({ sub, tenant_id: ORGANIZATION_ID, realm_access: { roles }, ...claims })}`,
    storey: stack.idOf(storey!.key),
    spaces: stack.building.spaces.filter((s) => s.storeyKey === storey!.key).map((s) => stack.idOf(s.key)),
    element: stack.idOf(first.elementKey),
    points: stack.building.points.filter((p) => p.elementKey === first.elementKey).map((p) => stack.idOf(p.key)),
    async close() {
      await stack.close()
      await realm.stop()
    },
  }
}
