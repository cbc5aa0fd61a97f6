// The sign-in pages that Ory Hydra needs, and the claims of its tokens, for users in a file. A company with a directory
// replaces this program by its own sign-in; docs/identity-providers.md lists the claims.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'

const hash = promisify(scrypt)
const {
  HOST = '127.0.0.1',
  PORT = '3000',
  HYDRA_ADMIN_URL = 'http://127.0.0.1:4445',
  USERS_FILE = 'users.json',
  TOKEN_HOOK_KEY,
} = process.env
const ORGANIZATION_CLAIM = 'https://storey.example.com/org_id'
const SESSION_S = 8 * 3600
const [FAILURES_MAX, FAILURES_MS] = [5, 15 * 60_000]

if (process.argv[2] === 'hash') {
  const salt = randomBytes(16)
  const key = await hash((await text(process.stdin)).replace(/\n$/, ''), salt, 32)
  process.stdout.write(`${salt.toString('base64url')}.${key.toString('base64url')}\n`)
  process.exit(0)
}
if (!TOKEN_HOOK_KEY) throw new Error('TOKEN_HOOK_KEY is required: the value of token_hook in hydra.yml')

const users = () => JSON.parse(readFileSync(USERS_FILE, 'utf8')).filter(({ isDisabled }) => !isDisabled)
const NOBODY = { password: `${randomBytes(16).toString('base64url')}.${randomBytes(32).toString('base64url')}` }
/** Wrong passwords by email address. */
const failures = new Map()

async function findUser(email, password) {
  const name = email.trim().toLowerCase()
  const failed = failures.get(name) ?? { count: 0, until: Date.now() + FAILURES_MS }
  if (failed.until < Date.now()) failures.delete(name)
  else if (failed.count >= FAILURES_MAX) return undefined
  const user = users().find((each) => each.email.toLowerCase() === name)
  const [salt, key] = (user ?? NOBODY).password.split('.').map((part) => Buffer.from(part, 'base64url'))
  const isRight = timingSafeEqual(await hash(password, salt, 32), key)
  if (isRight && user) failures.delete(name)
  else failures.set(name, { ...failed, count: failed.count + 1 })
  return isRight ? user : undefined
}

const accessClaims = ({ email, org_id, tenant_id, building_ids, roles }) => ({
  ...{ email, tenant_id, building_ids, roles },
  [ORGANIZATION_CLAIM]: org_id,
})
const sessionOf = (user) => ({
  access_token: accessClaims(user),
  id_token: { email: user.email, email_verified: true, name: user.name ?? user.email },
})

async function hydra(method, path, query, body) {
  const response = await fetch(`${HYDRA_ADMIN_URL}/admin${path}?${new URLSearchParams(query)}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return await response.json()
}
const request = (kind, challenge) => hydra('GET', `/oauth2/auth/requests/${kind}`, { [`${kind}_challenge`]: challenge })
const accept = async (kind, challenge, body) =>
  (await hydra('PUT', `/oauth2/auth/requests/${kind}/accept`, { [`${kind}_challenge`]: challenge }, body)).redirect_to

const escaped = (value) => value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const page = (title, body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}`
const form = (challenge, message = '') =>
  page(
    'Sign in',
    `<form method="post" action="/login"><p role="alert">${message}</p>
    <input type="hidden" name="challenge" value="${escaped(challenge)}">
    <label>Email <input id="username" name="email" type="email" autocomplete="username" required></label>
    <label>Password <input id="password" name="password" type="password" autocomplete="current-password" required></label>
    <button>Sign in</button></form>`,
  )
const show = (html, status = 200) => ({ status, html })
const redirect = (location) => ({ status: 303, location })

const routes = {
  async 'GET /login'({ query }) {
    const challenge = query.get('login_challenge') ?? ''
    const { skip, subject } = await request('login', challenge)
    const isKnown = skip && users().some(({ id }) => id === subject)
    return isKnown ? redirect(await accept('login', challenge, { subject })) : show(form(challenge))
  },
  async 'POST /login'({ body }) {
    const fields = new URLSearchParams(body)
    const challenge = fields.get('challenge') ?? ''
    const user = await findUser(fields.get('email') ?? '', fields.get('password') ?? '')
    if (!user) return show(form(challenge, 'The email address or the password is invalid.'), 401)
    return redirect(await accept('login', challenge, { subject: user.id, remember: true, remember_for: SESSION_S }))
  },
  /** The clients are the company's own, so users are not asked for their consent. */
  async 'GET /consent'({ query }) {
    const challenge = query.get('consent_challenge') ?? ''
    const { subject, requested_scope, requested_access_token_audience } = await request('consent', challenge)
    const user = users().find(({ id }) => id === subject)
    if (!user) return show(page('Sign in', '<p>This account is disabled.</p>'), 403)
    const granted = { grant_scope: requested_scope, grant_access_token_audience: requested_access_token_audience }
    return redirect(await accept('consent', challenge, { ...granted, session: sessionOf(user) }))
  },
  async 'GET /logout'({ query }) {
    return redirect(await accept('logout', query.get('logout_challenge') ?? ''))
  },
  async 'GET /error'({ query }) {
    return show(page('Sign-in failed', `<p>${escaped(query.get('error_description') ?? 'Unknown')}</p>`), 400)
  },
  /** Renewed tokens have the current claims, and a disabled user or program gets no token. */
  async 'POST /token-hook'({ body, headers }) {
    if (headers.authorization !== TOKEN_HOOK_KEY) return { status: 401 }
    const { session, request: asked } = JSON.parse(body)
    if (asked.grant_types.includes('client_credentials')) {
      const { metadata } = await hydra('GET', `/clients/${encodeURIComponent(asked.client_id)}`)
      if (!metadata?.tenant_id || metadata.isDisabled) return { status: 403 }
      return { status: 200, json: { session: { access_token: accessClaims(metadata) } } }
    }
    const { subject, id_token_claims } = session.id_token
    const user = users().find(({ id }) => id === subject)
    if (!user) return { status: 403 }
    const { access_token, id_token } = sessionOf(user)
    // The answer replaces all claims. Hydra's own claims, such as the session that a sign-out ends, must stay.
    return { status: 200, json: { session: { access_token, id_token: { ...id_token_claims.ext, ...id_token } } } }
  },
}

const server = createServer(async (incoming, response) => {
  const { pathname, searchParams } = new URL(incoming.url, 'http://localhost')
  const { headers, method } = incoming
  try {
    const route = routes[`${method} ${pathname}`]
    const body = method === 'POST' ? await text(incoming) : ''
    const answer = route ? await route({ query: searchParams, body, headers }) : { status: 404 }
    response.writeHead(answer.status, {
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': answer.json ? 'application/json' : 'text/html; charset=utf-8',
      ...(answer.location ? { location: answer.location } : {}),
    })
    response.end(answer.json ? JSON.stringify(answer.json) : (answer.html ?? ''))
  } catch (error) {
    process.stderr.write(`${error.stack}\n`)
    response.writeHead(500).end()
  }
})
server.listen(Number(PORT), HOST)
