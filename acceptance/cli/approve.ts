import { Browser } from '../../packages/identity/src/testing/browser.ts'
import { type Developer, systemUrl } from '../system/shared.ts'

/** The address that `svc login` prints. */
export const LINK = /https?:\/\/\S+\/device\S*/

export const PASSWORD = 'a password of my own'

/** Confirms the code of `svc login` in a browser, as a developer who signs in for the first time or again. */
export async function approve(link: string, developer: Developer, isFirst: boolean): Promise<void> {
  const browser = new Browser(systemUrl)
  const confirm = await browser.submit(await browser.open(link))
  const signIn = await browser.submit(confirm, { confirm: 'yes' })
  const password = isFirst ? developer.oneTimePassword! : PASSWORD
  const next = await browser.submit(signIn, { email: developer.email, password })
  if (!isFirst) return
  const names = Object.keys(next.forms[0]!.fields).filter((name) => /password|repeat|again/i.test(name))
  const end = await browser.submit(next, Object.fromEntries(names.map((name) => [name, PASSWORD])))
  if (end.status !== 200) throw new Error(`the password was not changed: ${end.status} ${end.text}`)
}
