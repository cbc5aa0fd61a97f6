import { LOCAL_PATH } from '@storey/contract'
import { StoreyError } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { CliError, wrongUsage } from '../../errors.ts'
import { safeText } from '../../output/safe-text.ts'
import { sandboxOfShell } from '../../sandboxes/sandbox-for.ts'
import { openBrowser } from '../../session/browser.ts'

interface OpenOptions {
  browser: boolean
  path?: string
}

export async function openConsole(
  context: Context,
  reference: string | undefined,
  options: OpenOptions,
): Promise<void> {
  const { browser } = options
  const path = options.path === undefined ? undefined : localPath(options.path)
  const { out } = context
  const { sandboxId } = await sandboxOfShell(context, reference)
  const { sandboxes } = await context.provisioning()
  const session = await sandboxes.consoleSession(sandboxId, path === undefined ? {} : { path }).catch((error) => {
    // An older service responds with 404. A service without a console, or with an external identity provider, responds
    // with 409. A 409 for the field `status` means that the sandbox has failed, and is thrown.
    const hasFailed = error instanceof StoreyError && error.problem.field === 'status'
    if (error instanceof StoreyError && [404, 409].includes(error.status) && !hasFailed) return undefined
    throw error
  })
  if (session === undefined)
    return await openSignedOut(context, sandboxId, { browser, ...(path === undefined ? {} : { path }) })
  const isOpened = browser && openBrowser(context, session.url)
  out.answer({ sandboxId, ...session, opened: isOpened }, () =>
    isOpened ? `Opened the console of ${safeText(sandboxId)}, signed in as its owner.` : safeText(session.url),
  )
  if (!isOpened) out.note('This address signs you in once, within a minute: open it in a browser.')
}

const LOCAL = new RegExp(LOCAL_PATH, 'u')

/** A path of the console. The leading slash may be missing: some shells on Windows rewrite arguments that have one. */
function localPath(text: string): string {
  const path = text.startsWith('/') ? text : `/${text}`
  if (LOCAL.test(path)) return path
  throw wrongUsage(`--path is "${text}", which is not a path of the console.`, 'Use a path such as /sandbox/my-module.')
}

async function openSignedOut(context: Context, sandboxId: string, { browser, path }: OpenOptions): Promise<void> {
  const { consoleUrl } = await (await context.provisioning()).sandboxes.get(sandboxId)
  if (consoleUrl === null) {
    throw new CliError('This service has no console.', {
      code: 'NO_CONSOLE',
      next: 'Use `svc api` for the data of the sandbox.',
    })
  }
  const url = `${consoleUrl.replace(/\/$/, '')}${path ?? ''}`
  const isOpened = browser && openBrowser(context, url)
  context.out.answer({ sandboxId, url, expiresAt: null, opened: isOpened }, () =>
    isOpened ? `Opened ${safeText(url)}.` : safeText(url),
  )
  context.out.note('Sign in there with an account of the sandbox: the service cannot sign you in as the owner.')
}
