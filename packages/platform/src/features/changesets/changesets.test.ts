import { CHANGESET_STEPS, type ChangesetState, type Operation } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChangesetFixture, startChangesets, UNKNOWN } from './testing/start-changesets.ts'

let world: ChangesetFixture
let rename: Operation[]
beforeAll(async () => {
  world = await startChangesets()
  rename = [{ op: 'update', kind: 'storey', id: world.storey, data: { name: 'Lobby' } }]
})
afterAll(() => world.close())

const post = (path: string, step: string, body?: unknown, authorization?: string) =>
  world.stack.send('POST', `${path}/${step}`, body, authorization)

describe('POST …/changesets', () => {
  it('[CHG-01] creates a draft and returns its location', async () => {
    const author = await world.signIn('anna', ['manager'], { preferred_username: 'anna' })
    const { revision } = await world.state()
    const body = { title: 'Rename', description: 'The lobby moved', operations: rename }
    const made = await world.stack.send('POST', world.all, body, author)
    expect(made).toMatchObject({ status: 201, headers: { location: `${world.all}/${made.body.id}` } })
    const { author: name } = made.body
    expect(made.body).toMatchObject({
      ...body,
      state: 'draft',
      reviewer: null,
      operationCount: 1,
      baseRevision: revision,
      appliedRevision: null,
      revertedRevision: null,
      trail: [{ action: 'create', actor: name, at: made.body.createdAt, comment: null, revision: null }],
    })
    expect((await world.stack.get(`${world.all}/${made.body.id}`)).body).toEqual(made.body)
    expect((await world.state()).revision).toBe(revision)
  })

  it.each([
    [{}, ['/title', '/operations']],
    [{ title: 5, operations: [{ op: 'delete', kind: 'space', id: UNKNOWN }] }, ['/title']],
    [{ title: 'No operation', operations: [] }, ['/operations']],
    [{ title: 'Further', operations: [{ op: 'delete', kind: 'space', id: UNKNOWN }], state: 'approved' }, ['/state']],
  ])('refuses %j', async (body, pointers) => {
    const answer = await world.stack.send('POST', world.all, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(pointers)
  })

  it('refuses a caller without a token or the permission, and a token of another tenant or building', async () => {
    const send = (authorization: string | null, all = world.all) =>
      world.stack.send('POST', all, { title: 'A change', operations: rename }, authorization)
    expect((await send(null)).status).toBe(401)
    expect((await send(await world.signIn('writer', ['building-graph-writer', 'accountant', 'user']))).status).toBe(403)
    expect((await send(await world.signIn('outsider', ['manager'], { tenant_id: 'org_other' }))).status).toBe(403)
    const elsewhere = { building_ids: [world.stack.other.buildingId] }
    expect((await send(await world.signIn('elsewhere', ['manager'], elsewhere))).status).toBe(403)
    expect((await send(await world.signIn('anna'))).status).toBe(201)
    expect((await send(await world.signIn('admin', ['admin']))).status).toBe(201)
    const nowhere = `/api/v1/buildings/${UNKNOWN}/changesets`
    expect((await send(await world.signIn('anna'), nowhere)).status).toBe(404)
  })
})

describe('PATCH …/changesets/{id}', () => {
  it('[CHG-03] changes a draft, even for somebody other than its author', async () => {
    const { body: made } = await world.draft(rename, await world.signIn('anna'))
    const path = `${world.all}/${made.id}`
    const title = await world.stack.send('PATCH', path, { title: 'Better' }, await world.signIn('ben'))
    expect(title).toMatchObject({ status: 200, body: { title: 'Better', operations: rename } })
    await world.apply([{ op: 'update', kind: 'space', id: world.spaces[0]!, data: { name: 'Meanwhile' } }])
    const operations = [{ op: 'delete', kind: 'point', id: world.points[0]! }]
    const changed = await world.stack.send('PATCH', path, { operations, description: 'One less' })
    const { revision } = await world.state()
    expect(changed.body).toMatchObject({ operations, description: 'One less', state: 'draft', baseRevision: revision })
    expect(changed.body.baseRevision).toBeGreaterThan(made.baseRevision)
    expect(changed.body.trail.map((step: { action: string }) => step.action)).toEqual(['create', 'change', 'change'])
    expect((await world.stack.send('PATCH', path, { description: null })).body.description).toBeNull()
  })

  it('refuses a body that POST would refuse and a caller without the permission, and changes nothing', async () => {
    const { body: made } = await world.draft(rename)
    const path = `${world.all}/${made.id}`
    for (const body of [{}, { title: '' }, { operations: [] }, { operations: [{ op: 'delete', kind: 'space' }] }]) {
      expect(await world.stack.send('PATCH', path, body), JSON.stringify(body)).toMatchObject({ status: 400 })
    }
    expect((await world.stack.get(path)).body).toEqual(made)
    const user = await world.signIn('user', ['user'])
    expect((await world.stack.send('PATCH', path, { title: 'Mine' }, user)).status).toBe(403)
  })
})

describe('the steps of a changeset', () => {
  it('[CHG-04, CHG-05, CHG-06, CHG-07, CHG-14, CHG-15] lead from draft to reverted, and each is in the trail', async () => {
    const anna = await world.signIn('anna')
    const ben = await world.signIn('ben')
    const { body: made } = await world.draft(rename, anna)
    const path = `${world.all}/${made.id}`
    const before = await world.state()

    const submitted = await post(path, 'submit', { comment: 'Please look' }, anna)
    expect(submitted).toMatchObject({ status: 200, body: { state: 'submitted', reviewer: null } })
    const approved = await post(path, 'review', { decision: 'approve', comment: 'Good' }, ben)
    expect(approved).toMatchObject({ status: 200, body: { state: 'approved', reviewer: expect.any(String) } })
    expect((await world.state()).revision).toBe(before.revision)

    const applied = await post(path, 'apply', undefined, anna)
    const revision = before.revision + 1
    expect(applied).toMatchObject({ status: 200, body: { state: 'applied', appliedRevision: revision } })
    expect((await world.stack.get(`${world.building}/storeys/${world.storey}`)).body.name).toBe('Lobby')
    const history = await world.stack.get(`${world.building}/history?changesetId=${made.id}`)
    expect(history.body.data).toMatchObject([{ revision, nodeId: world.storey, summary: 'Applied changeset A change' }])

    const reverted = await post(path, 'revert', { comment: null }, anna)
    expect(reverted).toMatchObject({ status: 200, body: { state: 'reverted', revertedRevision: revision + 1 } })
    expect((await world.state()).nodes).toEqual(before.nodes)
    expect(reverted.body.trail).toMatchObject([
      { action: 'create', comment: null, revision: null },
      { action: 'submit', comment: 'Please look', revision: null },
      { action: 'approve', comment: 'Good', revision: null },
      { action: 'apply', comment: null, revision },
      { action: 'revert', comment: null, revision: revision + 1 },
    ])
    const actors = reverted.body.trail.map((step: { actor: string }) => step.actor)
    expect(new Set(actors).size).toBe(2)
    expect(actors[2]).toBe(approved.body.reviewer)
  })

  it('[CHG-05] can end with a rejection, which is in the trail with its comment', async () => {
    const { body: made } = await world.draft(rename)
    const path = `${world.all}/${made.id}`
    await post(path, 'submit')
    const rejected = await post(path, 'review', { decision: 'reject', comment: 'No' })
    expect(rejected).toMatchObject({ status: 200, body: { state: 'rejected' } })
    expect(rejected.body.trail.at(-1)).toMatchObject({ action: 'reject', comment: 'No' })
  })

  it('[CHG-03, CHG-08] are refused with 409 and change nothing if the state does not allow them', async () => {
    const ways: Record<ChangesetState, string[]> = {
      draft: [],
      submitted: ['submit'],
      approved: ['submit', 'approve'],
      rejected: ['submit', 'reject'],
      applied: ['submit', 'approve', 'apply'],
      reverted: ['submit', 'approve', 'apply', 'revert'],
    }
    const take = (path: string, step: string) => {
      if (step === 'change') return world.stack.send('PATCH', path, { title: 'Other', operations: rename })
      if (step === 'approve' || step === 'reject') return post(path, 'review', { decision: step })
      return post(path, step)
    }
    for (const [state, way] of Object.entries(ways) as [ChangesetState, string[]][]) {
      const { body: made } = await world.draft(rename)
      const path = `${world.all}/${made.id}`
      for (const step of way) expect(await take(path, step), step).toMatchObject({ status: 200 })
      const before = [(await world.stack.get(path)).body, await world.state()]
      const allowed: readonly string[] = CHANGESET_STEPS[state]
      for (const step of ['change', 'submit', 'approve', 'reject', 'apply', 'revert']) {
        if (allowed.includes(step) || (allowed.includes('review') && /approve|reject/.test(step))) continue
        const members = { code: 'CONFLICT', field: 'state', state, allowed }
        expect(await take(path, step), `${step} of ${state}`).toMatchObject({ status: 409, body: members })
      }
      expect([(await world.stack.get(path)).body, await world.state()]).toEqual(before)
    }
  })

  it('refuse unknown fields and invalid values in their body', async () => {
    const { body: made } = await world.draft(rename)
    const path = `${world.all}/${made.id}`
    expect((await post(path, 'submit', { reason: 'x' })).body.errors).toMatchObject([{ pointer: '/reason' }])
    expect((await post(path, 'submit', [])).status).toBe(400)
    expect((await post(path, 'submit', { comment: 'x'.repeat(2001) })).status).toBe(400)
    expect((await post(path, 'submit', {})).status).toBe(200)
    for (const body of [undefined, {}, { decision: 'maybe' }, { decision: 'approve', comment: 5 }]) {
      expect(await post(path, 'review', body), JSON.stringify(body)).toMatchObject({ status: 400 })
    }
    expect((await world.stack.get(path)).body.state).toBe('submitted')
  })

  it('[CHG-09] include a review only by a caller who wrote no operation, or by the sandbox token', async () => {
    const anna = await world.signIn('anna', ['manager', 'admin'])
    const { body: made } = await world.draft(rename, anna)
    const path = `${world.all}/${made.id}`
    await post(path, 'submit', undefined, anna)
    for (const decision of ['approve', 'reject']) {
      const refused = await post(path, 'review', { decision }, anna)
      expect(refused).toMatchObject({ status: 403, body: { code: 'PERMISSION_DENIED' } })
      expect(refused.body.detail).toMatch(/author/)
    }
    expect((await world.stack.get(path)).body).toMatchObject({ state: 'submitted', reviewer: null })
    expect((await post(path, 'review', { decision: 'approve' }, await world.signIn('user', ['user']))).status).toBe(403)
    expect((await post(path, 'review', { decision: 'approve' }, await world.signIn('ben'))).status).toBe(200)

    const shared = await world.draft(rename, anna)
    const carl = await world.signIn('carl')
    const shares = `${world.all}/${shared.body.id}`
    expect((await world.stack.send('PATCH', shares, { operations: rename }, carl)).status).toBe(200)
    await post(shares, 'submit', undefined, anna)
    for (const writer of [anna, carl]) {
      expect((await post(shares, 'review', { decision: 'approve' }, writer)).status).toBe(403)
    }

    const own = await world.draft(rename)
    await post(`${world.all}/${own.body.id}`, 'submit')
    expect((await post(`${world.all}/${own.body.id}`, 'review', { decision: 'approve' })).status).toBe(200)
  })

  it('[CHG-08] run once, even for concurrent callers', async () => {
    const { body: made } = await world.draft([
      { op: 'update', kind: 'storey', id: world.storey, data: { name: 'Raced for' } },
    ])
    const path = `${world.all}/${made.id}`
    const race = async (step: string, body?: unknown) => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => post(path, step, body)))
      expect(answers.map(({ status }) => status).sort(), step).toEqual([200, 409, 409, 409])
    }
    await race('submit')
    await race('review', { decision: 'approve' })
    const { revision } = await world.state()
    await race('apply')
    expect((await world.state()).revision).toBe(revision + 1)
    await race('revert')
    expect((await world.state()).revision).toBe(revision + 2)
    expect((await world.stack.get(path)).body.trail).toHaveLength(5)
  })

  it('respond with 404 for a changeset that does not exist or belongs to another building', async () => {
    const { body: made } = await world.draft(rename)
    const elsewhere = `/api/v1/buildings/${world.stack.other.buildingId}/changesets/${made.id}`
    const paths = [elsewhere, `${world.all}/${UNKNOWN}`, `${world.all}/no-uuid`, `/api/v1/buildings/x/changesets/x`]
    for (const path of paths) {
      const answers = [
        world.stack.get(path),
        world.stack.get(`${path}/diff`),
        world.stack.send('PATCH', path, { operations: rename }),
        ...['submit', 'apply', 'revert'].map((step) => post(path, step)),
        post(path, 'review', { decision: 'approve' }),
      ]
      for (const answer of await Promise.all(answers)) {
        expect(answer, path).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
      }
    }
  })
})

describe('GET …/changesets', () => {
  it('[CHG-14] lists changesets, newest first, by state and by page', async () => {
    const { body: submitted } = await world.draft(rename)
    await post(`${world.all}/${submitted.id}`, 'submit')
    const { body: newest } = await world.draft(rename)
    const { body: list } = await world.stack.get(`${world.all}?limit=200`)
    expect(list.data[0].id).toBe(newest.id)
    const times = list.data.map((one: { createdAt: string }) => one.createdAt)
    expect(times).toEqual(times.toSorted().reverse())
    expect(list).toMatchObject({ total: list.data.length, limit: 200, offset: 0 })
    const { operations, trail, ...summary } = newest
    expect(list.data[0]).toEqual(summary)

    const { body: filtered } = await world.stack.get(`${world.all}?state=submitted`)
    expect(filtered.data.map((one: { id: string }) => one.id)).toContain(submitted.id)
    expect(filtered.data.every((one: { state: string }) => one.state === 'submitted')).toBe(true)
    const { body: second } = await world.stack.get(`${world.all}?limit=1&offset=1`)
    expect(second).toMatchObject({ data: [{ id: submitted.id }], total: list.total })
    expect((await world.stack.get(`${world.all}?state=open`)).status).toBe(400)
    expect((await world.stack.get(`${world.all}?limit=201`)).body.code).toBe('LIMIT_TOO_LARGE')
  })

  it('returns changesets to everyone of the tenant, and to nobody else', async () => {
    const { body: made } = await world.draft(rename)
    const user = await world.signIn('user', ['user'])
    const outsider = await world.signIn('outsider', ['manager'], { tenant_id: 'org_other' })
    for (const path of [world.all, `${world.all}/${made.id}`, `${world.all}/${made.id}/diff`]) {
      expect((await world.stack.get(path, user)).status).toBe(200)
      expect((await world.stack.get(path, outsider)).status).toBe(403)
      expect((await world.stack.get(path, null)).status).toBe(401)
    }
    const { body: none } = await world.stack.get(`/api/v1/buildings/${world.stack.other.buildingId}/changesets`)
    expect(none).toEqual({ data: [], total: 0, limit: 50, offset: 0 })
    expect((await world.stack.get(`/api/v1/buildings/${UNKNOWN}/changesets`)).status).toBe(404)
  })
})
