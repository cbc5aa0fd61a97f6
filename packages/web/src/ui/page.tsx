import type { ReactNode } from 'react'
import { LocaleSwitch } from '../i18n/locale-switch.tsx'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { Link } from '../router/link.tsx'
import { usePath } from '../router/route.ts'
import { useSession } from '../session/session-context.ts'
import { ThemeSwitch } from '../theme/theme-switch.tsx'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

interface TopBarProps {
  /** Shown beside the logo: the name of the app. */
  name: string
  home?: string
  navLabel: string
  links: readonly { to: string; label: string; icon?: IconName; isCurrent?: (path: string) => boolean }[]
  /** Shown at the right end. */
  children?: ReactNode
}

/**
 * The portal's header for signed-in developers; the console has its own header. The skip link goes to the `#main` of
 * the page.
 */
export function TopBar({ name, home = '/', navLabel, links, children }: TopBarProps): ReactNode {
  const t = useTexts(webTexts)
  const path = usePath()
  const isCurrent = (to: string) => path === to || (to !== '/' && path.startsWith(`${to}/`))
  return (
    <header className="st-topbar">
      <a className="st-skip" href="#main">
        {t('skip')}
      </a>
      <Link className="st-brand" to={home}>
        <Icon name="mark" size={20} />
        <span>{name}</span>
      </Link>
      <nav aria-label={navLabel}>
        {links.map(({ to, label, icon, isCurrent: matches }) => (
          <Link key={to} to={to} aria-current={(matches ? matches(path) : isCurrent(to)) ? 'page' : undefined}>
            {icon ? <Icon name={icon} /> : null}
            {label}
          </Link>
        ))}
      </nav>
      <div className="st-topbar-end">{children}</div>
    </header>
  )
}

interface UserMenuProps {
  /** Links of the app, each with the class `st-menu-link`. */
  children?: ReactNode
}

/** The button that names the user, and its menu with the account, the language, the theme, links and the sign-out. */
export function UserMenu({ children }: UserMenuProps): ReactNode {
  const t = useTexts(webTexts)
  const session = useSession()
  const { name, email } = session.user
  return (
    <>
      <button
        type="button"
        className="st-user"
        popoverTarget="st-user-menu"
        aria-label={`${t('account')}: ${email ?? name}`}
      >
        <Icon name="person" />
        <span>{email ?? name}</span>
        <Icon name="chevron" size={12} />
      </button>
      <div id="st-user-menu" popover="auto" className="st-menu">
        <p>
          <strong>{name}</strong>
          {email && email !== name ? <span className="st-quiet">{email}</span> : null}
        </p>
        <div className="st-menu-row">
          <span className="st-quiet">{t('language')}</span>
          <LocaleSwitch />
        </div>
        <div className="st-menu-row">
          <span className="st-quiet">{t('theme')}</span>
          <ThemeSwitch />
        </div>
        {children}
        <Button label={t('signOut')} icon="external" onClick={() => void session.signOut()} />
      </div>
    </>
  )
}

interface PageProps {
  title: string
  /** Text below the title. */
  lead?: ReactNode
  /** Link above the title. */
  back?: { to: string; label: string }
  actions?: ReactNode
  wide?: boolean
  children: ReactNode
}

export function Page({ title, lead, back, actions, wide, children }: PageProps): ReactNode {
  return (
    <main id="main" className={wide ? 'st-page st-page-wide' : 'st-page'} tabIndex={-1}>
      {back ? (
        <Link className="st-back" to={back.to}>
          ← {back.label}
        </Link>
      ) : null}
      <div className="st-page-head">
        <div>
          <h1>{title}</h1>
          {lead ? <p className="st-lead">{lead}</p> : null}
        </div>
        {actions ? <div className="st-row">{actions}</div> : null}
      </div>
      {children}
    </main>
  )
}

interface PanelProps {
  title?: string
  lead?: ReactNode
  actions?: ReactNode
  /** No padding at the edges, for a table. */
  flush?: boolean
  /** The content is about to be replaced. */
  isBusy?: boolean
  children: ReactNode
}

export function Panel({ title, lead, actions, flush, isBusy, children }: PanelProps): ReactNode {
  return (
    <section className={flush ? 'st-panel st-panel-flush' : 'st-panel'} aria-busy={isBusy}>
      {title || actions ? (
        <div className="st-panel-head">
          <div>
            {title ? <h2>{title}</h2> : null}
            {lead ? <p className="st-quiet">{lead}</p> : null}
          </div>
          {actions ? <div className="st-row">{actions}</div> : null}
        </div>
      ) : null}
      {children}
    </section>
  )
}

/** A list of names and values. */
export function Definitions({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }): ReactNode {
  return (
    <dl className="st-definitions">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
