import { LOCALES, type Locale, pickLocale } from '../pages/texts.ts'
import type { Context } from './koa.ts'
import { type RealmName, realmPath } from './names.ts'

/**
 * The language of the pages: from `ui_locales`, else from the cookie of an earlier request (a posted form does not
 * repeat `ui_locales`), else from the browser's settings.
 */
export function readLocale(ctx: Context, realm: RealmName): Locale {
  const cookie = `storey_${realm}_locale`
  const { ui_locales: requested } = ctx.query
  const named = typeof requested === 'string' ? pickLocale(requested) : undefined
  if (named !== undefined) {
    ctx.cookies.set(cookie, named, { httpOnly: true, sameSite: 'lax', path: realmPath(realm), signed: false })
    return named
  }
  return pickLocale(ctx.cookies.get(cookie) ?? '') ?? ((ctx.acceptsLanguages([...LOCALES]) || 'en') as Locale)
}
