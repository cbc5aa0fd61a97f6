import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type Answer, call } from '../system/call.ts'
import { api, type Developer, newDeveloper, newSandbox } from '../system/shared.ts'
import { openBrowser, signIn, type Visit, type VisitOptions } from './browser.ts'

export interface Connection {
  apiUrl: string
  token: string
  buildingId: string
  organizationId: string
}

export interface Person {
  email: string
  password: string
}

export interface SignInOptions extends VisitOptions {
  email: string
  role?: string
  /** The page to open. */
  path?: string
  /** Called before the page is opened, to listen to its requests. */
  onPage?(page: Page): void
}

/** A sandbox of a test file, and the browser in which people use its console. */
export interface Console {
  /** `connection` and `sandbox` are filled before the first test. */
  connection: Connection
  sandbox: Developer & { sandboxId: string }
  visit(options?: VisitOptions): Promise<Visit>
  newAccount(email: string, role?: string): Promise<Person>
  /** Creates an account and signs it in. */
  visitAs(options: SignInOptions): Promise<Visit>
  /** Calls the API with the sandbox's own token, which has every permission. Fails if the call is refused. */
  sendTo(path: string, body?: unknown, method?: string): Promise<Answer['json']>
  /** Like `sendTo`, with a path below the building. */
  send(path: string, body?: unknown, method?: string): Promise<Answer['json']>
}

/** Creates a sandbox before the tests of the file, and deletes it afterwards, so that its stack ends. */
export function useConsole(building: object = {}): Console {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  const connection = {} as Connection
  const sandbox = {} as Console['sandbox']

  beforeAll(async () => {
    browser = await openBrowser()
    Object.assign(sandbox, await newDeveloper())
    const created = await newSandbox(sandbox.key, building)
    sandbox.sandboxId = created.record.sandboxId
    Object.assign(connection, created.connection)
    await untilAwake()
  })
  afterAll(async () => {
    await browser?.close()
    if (sandbox.sandboxId) await api(sandbox.key, `/api/v1/sandboxes/${sandbox.sandboxId}`, { method: 'DELETE' })
  })

  /** While the stack starts, a call may get a 503, which the browser would log as an error of the page. */
  async function untilAwake(): Promise<void> {
    await repeatedWhile(503, () => call(`${connection.apiUrl}/api/v1/buildings`, { token: connection.token }))
  }

  const visit = (options?: VisitOptions) => browser.visit(options)
  async function newAccount(email: string, role = 'manager'): Promise<Person> {
    const path = `/api/v1/sandboxes/${sandbox.sandboxId}/accounts`
    const { status, text, json } = await api(sandbox.key, path, { body: { email, roles: [role] } })
    if (status !== 201) throw new Error(`the account was not created: ${text}`)
    return { email, password: json.oneTimePassword }
  }
  async function visitAs({ email, role, path = '', onPage, ...options }: SignInOptions): Promise<Visit> {
    const person = await newAccount(email, role)
    const opened = await visit(options)
    onPage?.(opened.page)
    await opened.page.goto(connection.apiUrl + path)
    await signIn(opened.page, person)
    return opened
  }
  async function sendTo(path: string, body?: unknown, method?: string): Promise<Answer['json']> {
    const options = { token: connection.token, ...(body ? { body } : {}), ...(method ? { method } : {}) }
    // The page and the test share the sandbox's rate limit: a call that is limited is sent again.
    const answer = await repeatedWhile(429, () => call(connection.apiUrl + path, options))
    if (answer.status >= 400) throw new Error(`${path}: ${answer.text}`)
    return answer.json
  }
  const send: Console['send'] = (path, ...rest) => sendTo(`/api/v1/buildings/${connection.buildingId}${path}`, ...rest)
  return { connection, sandbox, visit, newAccount, visitAs, sendTo, send }
}

/** Repeats a call as long as it is answered with this status, each time after the wait that the answer asks for. */
async function repeatedWhile(status: number, send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send()
    if (answer.status !== status) return answer
    await sleep(Number(answer.headers['retry-after']) * 1000)
  }
}

/** Finds elements that tests look for, on the page that `page` returns at the time of the call. */
export function onPage(page: () => Page) {
  const heading = (name: string | RegExp) => page().getByRole('heading', { level: 1, name })
  const button = (name: string | RegExp) => page().getByRole('button', { name, exact: true })
  const inDialog = (name: string) => page().getByRole('dialog').getByRole('button', { name, exact: true })
  /** Follows a link of the navigation. */
  const go = async (place: string) => {
    await page().getByRole('navigation').getByRole('link', { name: place }).click()
    await heading(place).waitFor()
  }
  return { heading, button, inDialog, go }
}
