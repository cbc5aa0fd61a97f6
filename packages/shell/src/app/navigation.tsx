import { Icon, Link, useLocale, usePath, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
import { type RouteGroup, routeGroups, type ShellRoute } from '../routes.ts'
import styles from './navigation.module.css'
import { NavigationCount } from './navigation-counts.tsx'
import { useShell } from './shell.ts'
import { shellTexts } from './texts.ts'

const MENU_ID = 'pages-menu'

/**
 * The pages in groups, with counts when the building is loaded: a list at the left, icons on a narrow screen, a bar and
 * a menu on a phone.
 */
export function Navigation({ showsCounts }: { showsCounts: boolean }): ReactNode {
  const t = useTexts(shellTexts)
  const groups = useShownGroups()
  const menu = useRef<HTMLDivElement>(null)
  const path = usePath()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page is opened
  useEffect(() => menu.current?.hidePopover(), [path])
  return (
    <nav className={styles.navigation} aria-label={t('navigation')}>
      <div className={styles.groups}>
        <Groups groups={groups} showsCounts={showsCounts} />
      </div>
      <div className={styles.bar}>
        {groups
          .flatMap(({ routes }) => routes)
          .filter(({ isInPhoneBar }) => isInPhoneBar)
          .map((route) => (
            <RouteLink key={route.path} route={route} showsCounts={showsCounts} />
          ))}
        <button type="button" popoverTarget={MENU_ID} aria-label={t('allPages')} title={t('allPages')}>
          <Icon name="menu" size={18} />
        </button>
      </div>
      <div ref={menu} id={MENU_ID} popover="auto" className={styles.menu}>
        <Groups groups={groups} showsCounts={showsCounts} />
      </div>
    </nav>
  )
}

/** The groups with only the routes that the navigation shows. Groups without such routes are left out. */
function useShownGroups(): RouteGroup[] {
  const { config } = useShell()
  const isShown = ({ icon, isEnabled }: ShellRoute) => icon !== undefined && (isEnabled?.(config) ?? true)
  return routeGroups
    .map(({ title, routes }) => ({ title, routes: routes.filter(isShown) }))
    .filter(({ routes }) => routes.length > 0)
}

function Groups({ groups, showsCounts }: { groups: readonly RouteGroup[]; showsCounts: boolean }): ReactNode {
  const locale = useLocale()
  return groups.map(({ title, routes }) => (
    <div key={title.en} className={styles.group}>
      <p>{title[locale]}</p>
      {routes.map((route) => (
        <RouteLink key={route.path} route={route} showsCounts={showsCounts} />
      ))}
    </div>
  ))
}

const isUnder = (path: string, base: string) => path === base || path.startsWith(`${base}/`)

function RouteLink({ route, showsCounts }: { route: ShellRoute; showsCounts: boolean }): ReactNode {
  const locale = useLocale()
  const path = usePath()
  const isCurrent =
    path === route.path ||
    (route.path !== '/' && isUnder(path, route.path)) ||
    (route.alsoHighlights ?? []).some((base) => isUnder(path, base))
  const title = route.title[locale]
  return (
    <Link to={route.path} title={title} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={route.icon!} size={18} />
      <span className={styles.label}>{title}</span>
      {showsCounts ? <NavigationCount path={route.path} /> : null}
    </Link>
  )
}
