import { LOCALES, type Locale, pickLocale } from '../pages/words.ts'
import type { Context } from './koa.ts'
import { type RealmName, realmPath } from './names.ts'

/**
 * The language of the pages: what the application asks for, else what it asked for before in this browser (a form that
 * is posted does not say it again), else what the browser asks for.
 */
export function readLocale(ctx: Context, realm: RealmName): Locale {
  const cookie = `storey_${realm}_locale`
  const { ui_locales: asked } = ctx.query
  const named = typeof asked === 'string' ? pickLocale(asked) : undefined
  if (named !== undefined) {
    ctx.cookies.set(cookie, named, { httpOnly: true, sameSite: 'lax', path: realmPath(realm), signed: false })
    return named
  }
  return pickLocale(ctx.cookies.get(cookie) ?? '') ?? ((ctx.acceptsLanguages([...LOCALES]) || 'en') as Locale)
}
