import { defineTexts } from '@storey/web'

export const appTexts = defineTexts(
  {
    name: 'Storey portal',
    navigation: 'Portal',
    sandboxes: 'Sandboxes',
    keys: 'API keys',
    audit: 'Audit log',
    docs: 'API reference',
    notFound: 'Page not found',
    notFoundText: 'The URL is wrong, or the page has been removed.',
    toSandboxes: 'Go to sandboxes',
    unreachable: 'The service cannot be reached',
    unreachableText: 'Check that it is running, then reload the page.',
    reload: 'Reload',
  },
  {
    name: 'Портал Storey',
    navigation: 'Портал',
    sandboxes: 'Песочницы',
    keys: 'Ключи API',
    audit: 'Журнал аудита',
    docs: 'Справочник API',
    notFound: 'Страница не найдена',
    notFoundText: 'Адрес неверен, или страница удалена.',
    toSandboxes: 'К песочницам',
    unreachable: 'Сервис недоступен',
    unreachableText: 'Проверьте, что он запущен, и обновите страницу.',
    reload: 'Обновить',
  },
)
