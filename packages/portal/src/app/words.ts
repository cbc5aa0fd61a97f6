import { defineWords } from '@storey/web'

export const appWords = defineWords(
  {
    name: 'Storey portal',
    navigation: 'Portal',
    sandboxes: 'Sandboxes',
    keys: 'API keys',
    audit: 'Audit',
    docs: 'API reference',
    notFound: 'There is no such page',
    notFoundText: 'The address is wrong, or what it named has been removed.',
    toSandboxes: 'To the sandboxes',
    unreachable: 'The service cannot be reached',
    unreachableText: 'Check that it is running, then load the page again.',
    reload: 'Load again',
  },
  {
    name: 'Портал Storey',
    navigation: 'Портал',
    sandboxes: 'Песочницы',
    keys: 'Ключи API',
    audit: 'Журнал',
    docs: 'Справка по API',
    notFound: 'Такой страницы нет',
    notFoundText: 'Адрес неверен, или то, что он называл, удалено.',
    toSandboxes: 'К песочницам',
    unreachable: 'Сервис недоступен',
    unreachableText: 'Проверьте, что он запущен, и загрузите страницу снова.',
    reload: 'Загрузить снова',
  },
)
