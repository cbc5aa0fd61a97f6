import { setTimeout as sleep } from 'node:timers/promises'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import type { Browser } from 'playwright-core'
import { type Answer, call } from '../../acceptance/system/call.ts'
import { equal } from '../equal.ts'
import type { Suite } from '../suite.ts'
import type { Installation } from './installation.ts'
import { visit } from './visit.ts'

const CALLERS = 4

/** Checks Storey while the provider changes its signing keys, and while the provider is down. */
export async function checkOutages(suite: Suite, installation: Installation, browser: Browser): Promise<void> {
  const { provider, system, sandbox, key } = installation
  const { apiUrl, buildingId, sandboxId } = sandbox.record
  const building = `${apiUrl}/api/v1/buildings/${buildingId}`
  const newToken = () => provider.serviceAccount.token()

  /** Sends requests until `work` ends, counts the statuses, and keeps refused tokens. */
  async function whileCalling(work: () => Promise<void>, tokenOf: () => Promise<string>) {
    const counts = new Map<number, number>()
    const refused: string[] = []
    let isOver = false
    const caller = async () => {
      while (!isOver) {
        const token = await tokenOf()
        const { status } = await call(building, { token })
        counts.set(status, (counts.get(status) ?? 0) + 1)
        if (status === 401) refused.push(token)
        await sleep(10)
      }
    }
    const callers = Promise.all(Array.from({ length: CALLERS }, caller))
    // A caller that fails while `work` runs fails this check, not the whole suite.
    callers.catch(() => undefined)
    await work().finally(() => {
      isOver = true
    })
    await callers
    return { counts, refused }
  }
  const describe = (counts: Map<number, number>) => [...counts].map(([status, n]) => `${n} × ${status}`).join(', ')

  await suite.check('three new signing keys in a row while requests run: no valid token is refused', async () => {
    const old = await newToken()
    const { counts, refused } = await whileCalling(async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(1_500)
        await provider.rotateKey()
      }
      await sleep(3_000)
    }, newToken)
    // Hydra chooses the key id of a token first and the key later. If the key changes in between, the token is invalid.
    const keys = await publishedKeys(provider.issuers.sandboxes)
    for (const token of refused) {
      const isValid = await jwtVerify(token, keys).catch(() => false as const)
      equal(isValid, false, `a valid token was refused: ${describe(counts)}`)
    }
    equal(
      [...counts.keys()].filter((status) => status !== 401),
      [200],
      describe(counts),
    )
    equal((await call(building, { token: old })).status, 200, 'a token of the old key')
    const wrong = refused.length === 0 ? '' : `, ${refused.length} signed with another key than they name`
    return describe(counts) + wrong
  })

  const logged = (text: string) =>
    system
      .output()
      .split('\n')
      .filter((line) => line.includes(text)).length
  const begun = () => logged('identity provider unreachable')
  const ended = () => logged('identity provider reachable again')
  const restartStack = async () => {
    const answer = await call(`${system.url}/api/v1/sandboxes/${sandboxId}/reset`, { method: 'POST', token: key })
    equal(answer.status, 202, answer.text)
    for (;;) {
      const { json } = await call(`${system.url}/api/v1/sandboxes/${sandboxId}`, { token: key })
      if (json.status === 'ready') return
      await sleep(200)
    }
  }

  await suite.check(
    `while ${provider.name} is down, known keys stay in use, and a new stack answers 503 and not 401`,
    async () => {
      const token = await newToken()
      const { counts } = await whileCalling(
        async () => {
          await provider.kill()
          await sleep(3_000)
        },
        async () => token,
      )
      equal([...counts.keys()], [200], describe(counts))
      await restartStack()
      const refused = await call(building, { token })
      equal([refused.status, refused.json?.code], [503, 'NOT_READY'], refused.text)
      equal(Number(refused.headers['retry-after']) > 0, true, 'Retry-After')
      for (let i = 0; i < 20; i++) {
        await call(building, { token })
        await sleep(250)
      }
      const { page, context } = await visit(browser)
      await page.goto(system.url)
      await page.getByRole('heading', { level: 1, name: 'The identity provider cannot be reached' }).waitFor()
      await context.close()
      return `${describe(counts)}; ${begun()} log line`
    },
  )

  await suite.check(
    `${provider.name} is used again automatically when it is back, with one log line for the outage`,
    async () => {
      const lines = begun()
      const answers: Answer[] = []
      await provider.start()
      const token = await newToken()
      for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(200)) {
        answers.push(await call(building, { token }))
        if (answers.at(-1)!.status === 200) break
      }
      equal(answers.at(-1)?.status, 200, answers.at(-1)?.text)
      equal(
        answers.every(({ status }) => status === 200 || status === 503),
        true,
        'statuses',
      )
      equal({ begun: lines, ended: ended() }, { begun: 1, ended: 1 }, system.output().slice(-2_000))
    },
  )
}

async function publishedKeys(issuer: string) {
  const read = async (url: string) => (await (await fetch(url)).json()) as { jwks_uri: string } & JSONWebKeySet
  const { jwks_uri } = await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  return createLocalJWKSet(await read(jwks_uri))
}
