import { Icon, Link, LoadingState, matchPath, UserMenu, useLocale, usePath, useTitle, useWords } from '@storey/web'
import { type ReactNode, Suspense, useEffect } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { routes, type ShellRoute } from '../routes.ts'
import { SearchBox } from '../search/search-box.tsx'
import { PageBoundary } from './boundary.tsx'
import { Connection } from './connection.tsx'
import styles from './frame.module.css'
import { NotFound } from './not-found.tsx'
import { useShell } from './shell.ts'
import { StoreySwitcher } from './storey-switcher.tsx'
import { shellWords } from './words.ts'

/** What is around every page: where one is, where one can go, and how the building is doing. */
export function Frame(): ReactNode {
  const t = useWords(shellWords)
  const { building } = useBuildingData()
  return (
    <div className={styles.frame}>
      <header className={styles.header}>
        <a className="st-skip" href="#main">
          {t('skip')}
        </a>
        <Link className={styles.brand!} to="/">
          <Icon name="mark" size={20} />
          <span>{building.name}</span>
        </Link>
        <StoreySwitcher />
        <SearchBox />
        <div className={styles.end}>
          <Connection />
          <UserMenu />
        </div>
      </header>
      <Navigation />
      <div className={styles.page}>
        <CurrentPage />
      </div>
    </div>
  )
}

const isAt = (path: string, place: string) => path === place || path.startsWith(`${place}/`)

function Navigation(): ReactNode {
  const t = useWords(shellWords)
  const locale = useLocale()
  const path = usePath()
  const { config } = useShell()
  const isCurrent = (route: ShellRoute) =>
    path === route.path ||
    (route.path !== '/' && isAt(path, route.path)) ||
    (route.covers ?? []).some((place) => isAt(path, place))
  return (
    <nav className={styles.navigation} aria-label={t('navigation')}>
      {routes
        .filter(({ icon, isThere }) => icon !== undefined && (isThere?.(config) ?? true))
        .map((route) => (
          <Link key={route.path} to={route.path} aria-current={isCurrent(route) ? 'page' : undefined}>
            <Icon name={route.icon!} size={18} />
            <span>{route.title[locale]}</span>
          </Link>
        ))}
    </nav>
  )
}

function CurrentPage(): ReactNode {
  const path = usePath()
  const { config } = useShell()
  const locale = useLocale()
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (!params || route.isThere?.(config) === false) continue
    const title = route.title[locale]
    return (
      <PageBoundary key={path} title={title}>
        <PageTitle title={title} />
        <Suspense fallback={<LoadingState />}>
          <route.page params={params} />
          <Arrival path={path} />
        </Suspense>
      </PageBoundary>
    )
  }
  return <NotFound />
}

/** The path of the page that was shown last; the first one was opened, and not walked to. */
let shownPath: string | undefined

/** A new page begins at its top, and the keyboard goes on from there. */
function Arrival({ path }: { path: string }): null {
  useEffect(() => {
    const isWalkedTo = shownPath !== undefined && shownPath !== path
    shownPath = path
    if (!isWalkedTo) return
    const main = document.getElementById('main')
    main?.parentElement?.scrollTo(0, 0)
    main?.focus({ preventScroll: true })
  }, [path])
  return null
}

/** A page with a better one of its own sets it after this. */
function PageTitle({ title }: { title: string }): null {
  const { building } = useBuildingData()
  useTitle(title, building.name)
  return null
}
