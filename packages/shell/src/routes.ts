import { MODULE_ROUTE, type ShellConfig } from '@storey/contract'
import { type IconName, type Locale, matchPath } from '@storey/web'
import { type Lazy, type LazyPage, lazy } from './lazy-page.ts'

export interface ShellRoute {
  /** A pattern of `matchPath`. */
  path: string
  title: Record<Locale, string>
  page: LazyPage
  /** Shown while the building is loading. */
  preview?: Lazy<object>
  /** Routes with an icon are in the navigation. */
  icon?: IconName
  /** The route is in the bar at the bottom of a phone. The menu of that bar has all routes with an icon. */
  isInPhoneBar?: true
  /** Other paths for which the navigation highlights this route, with their subpaths. */
  alsoHighlights?: readonly string[]
  /** Whether the page exists in this deployment. */
  isEnabled?(config: ShellConfig): boolean
}

/** A section of the navigation. */
export interface RouteGroup {
  title: Record<Locale, string>
  routes: readonly ShellRoute[]
}

/** With `SHELL_MODULE_ROUTE=off` there are no pages of modules from developers' machines. */
const loadsModules = ({ moduleRoute }: ShellConfig): boolean => moduleRoute === 'on'

const building: RouteGroup = {
  title: { en: 'Building', ru: 'Здание' },
  routes: [
    {
      path: '/',
      title: { en: 'Overview', ru: 'Обзор' },
      page: lazy(() => import('./overview/overview-page.tsx')),
      icon: 'building',
      isInPhoneBar: true,
    },
    {
      path: '/plan',
      title: { en: 'Plan', ru: 'План' },
      page: lazy(() => import('./storey-plan/plan-page.tsx')),
      preview: lazy(() => import('./storey-plan/plan-preview.tsx')),
      icon: 'plan',
      isInPhoneBar: true,
      alsoHighlights: ['/rooms', '/points'],
    },
    {
      path: '/equipment',
      title: { en: 'Equipment', ru: 'Оборудование' },
      page: lazy(() => import('./equipment/equipment-page.tsx')),
      icon: 'equipment',
      alsoHighlights: ['/elements'],
    },
    {
      path: '/rooms/:id',
      title: { en: 'Room', ru: 'Помещение' },
      page: lazy(() => import('./rooms/room-page.tsx')),
    },
    {
      path: '/elements/:id',
      title: { en: 'Equipment', ru: 'Оборудование' },
      page: lazy(() => import('./points/element-page.tsx')),
    },
    {
      path: '/points/:id',
      title: { en: 'Point', ru: 'Точка' },
      page: lazy(() => import('./points/point-page.tsx')),
    },
  ],
}

const work: RouteGroup = {
  title: { en: 'Work', ru: 'Работа' },
  routes: [
    {
      path: '/faults',
      title: { en: 'Faults', ru: 'Сбои' },
      page: lazy(() => import('./faults/faults-page.tsx')),
      icon: 'warning',
      isInPhoneBar: true,
    },
    {
      path: '/faults/rules',
      title: { en: 'Fault rules', ru: 'Правила сбоев' },
      page: lazy(() => import('./faults/rules/rules-page.tsx')),
    },
    {
      path: '/requests',
      title: { en: 'Requests', ru: 'Заявки' },
      page: lazy(() => import('./requests/requests-page.tsx')),
      icon: 'clipboard',
      isInPhoneBar: true,
    },
    {
      path: '/requests/new',
      title: { en: 'New request', ru: 'Новая заявка' },
      page: lazy(() => import('./requests/new-request-page.tsx')),
    },
    {
      path: '/requests/:id',
      title: { en: 'Request', ru: 'Заявка' },
      page: lazy(() => import('./requests/request-page.tsx')),
    },
  ],
}

const data: RouteGroup = {
  title: { en: 'Data', ru: 'Данные' },
  routes: [
    {
      path: '/layers',
      title: { en: 'Data layers', ru: 'Слои данных' },
      page: lazy(() => import('./layers/layers-page.tsx')),
      icon: 'layers',
    },
    {
      path: '/layers/new',
      title: { en: 'New layer', ru: 'Новый слой' },
      page: lazy(() => import('./layers/new-layer-page.tsx')),
    },
    {
      path: '/layers/:id',
      title: { en: 'Data layer', ru: 'Слой данных' },
      page: lazy(() => import('./layers/layer-page.tsx')),
    },
    {
      path: '/layers/:id/edit',
      title: { en: 'Edit layer', ru: 'Изменить слой' },
      page: lazy(() => import('./layers/edit-layer-page.tsx')),
    },
    {
      path: '/layers/:id/upload',
      title: { en: 'Upload values', ru: 'Загрузка значений' },
      page: lazy(() => import('./layers/upload-page.tsx')),
    },
    {
      path: '/webhooks',
      title: { en: 'Webhooks', ru: 'Вебхуки' },
      page: lazy(() => import('./webhooks/webhooks-page.tsx')),
      icon: 'send',
    },
    {
      path: '/webhooks/new',
      title: { en: 'New webhook', ru: 'Новый вебхук' },
      page: lazy(() => import('./webhooks/new-webhook-page.tsx')),
    },
    {
      path: '/webhooks/:id',
      title: { en: 'Webhook', ru: 'Вебхук' },
      page: lazy(() => import('./webhooks/webhook-page.tsx')),
    },
    {
      path: '/events',
      title: { en: 'Events', ru: 'События' },
      page: lazy(() => import('./events/events-page.tsx')),
      icon: 'pulse',
    },
    {
      path: '/simulation',
      title: { en: 'Simulation', ru: 'Симуляция' },
      page: lazy(() => import('./simulation/simulation-page.tsx')),
      icon: 'play',
    },
  ],
}

const model: RouteGroup = {
  title: { en: 'Model', ru: 'Модель' },
  routes: [
    {
      path: '/history',
      title: { en: 'History', ru: 'История' },
      page: lazy(() => import('./history/history-page.tsx')),
      icon: 'clock',
    },
    {
      path: '/snapshots',
      title: { en: 'Snapshots', ru: 'Снимки' },
      page: lazy(() => import('./snapshots/snapshots-page.tsx')),
      icon: 'camera',
    },
    {
      path: '/changesets',
      title: { en: 'Changesets', ru: 'Наборы изменений' },
      page: lazy(() => import('./changesets/changesets-page.tsx')),
      icon: 'branch',
    },
    {
      path: '/changesets/new',
      title: { en: 'New changeset', ru: 'Новый набор изменений' },
      page: lazy(() => import('./changesets/new-changeset-page.tsx')),
    },
    {
      path: '/changesets/:id',
      title: { en: 'Changeset', ru: 'Набор изменений' },
      page: lazy(() => import('./changesets/changeset-page.tsx')),
    },
    {
      path: '/imports',
      title: { en: 'Imports', ru: 'Импорт' },
      page: lazy(() => import('./imports/imports-page.tsx')),
      icon: 'import',
    },
    {
      path: '/imports/model',
      title: { en: 'Import a building model', ru: 'Импорт модели здания' },
      page: lazy(() => import('./imports/model-page.tsx')),
    },
    {
      path: '/imports/table',
      title: { en: 'Import a table', ru: 'Импорт таблицы' },
      page: lazy(() => import('./imports/table-page.tsx')),
    },
    {
      path: '/imports/:id',
      title: { en: 'Import', ru: 'Импорт' },
      page: lazy(() => import('./imports/import-page.tsx')),
    },
  ],
}

const sandbox: RouteGroup = {
  title: { en: 'Sandbox', ru: 'Песочница' },
  routes: [
    {
      path: '/sandbox',
      title: { en: 'Modules', ru: 'Модули' },
      page: lazy(() => import('./modules/modules-page.tsx')),
      icon: 'plug',
      isEnabled: loadsModules,
    },
    {
      path: `${MODULE_ROUTE}:slug`,
      title: { en: 'Module', ru: 'Модуль' },
      page: lazy(() => import('./modules/module-page.tsx')),
      isEnabled: loadsModules,
    },
    {
      path: '/people',
      title: { en: 'People', ru: 'Люди' },
      page: lazy(() => import('./people/people-page.tsx')),
      icon: 'people',
    },
  ],
}

/** All pages, in the order of the navigation. Each page is loaded on demand. */
export const routeGroups: readonly RouteGroup[] = [building, work, data, model, sandbox]
export const routes: readonly ShellRoute[] = routeGroups.flatMap((group) => group.routes)

export const routeOf = (path: string): ShellRoute | undefined => routes.find((route) => matchPath(route.path, path))

/** Loads the code of the page at this path, so that the code is ready when the data of the page arrives. */
export function preloadPage(path: string): void {
  const route = routeOf(path)
  route?.preview?.preload()
  route?.page.preload()
}
