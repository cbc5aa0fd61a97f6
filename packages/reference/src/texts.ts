import { defineTexts } from '@storey/web/visitor'

export const referenceTexts = defineTexts(
  {
    home: 'Storey',
    document: 'OpenAPI document (JSON)',
    loading: 'Loading…',
    signedIn: 'Requests are sent as {name}',
    signIn: 'Sign in to try requests',
    signedOut: 'Or paste a key or token under “Authentication”.',
    copy: 'Copy',
    choose: 'Choose',
    code: 'Text',
    failed: 'The viewer could not be loaded. This is the plain reference.',
  },
  {
    home: 'Storey',
    document: 'Документ OpenAPI (JSON)',
    loading: 'Загрузка…',
    signedIn: 'Запросы отправляются от имени {name}',
    signIn: 'Войти, чтобы отправлять запросы',
    signedOut: 'Или вставьте ключ или токен в разделе «Аутентификация».',
    copy: 'Скопировать',
    choose: 'Выбрать',
    code: 'Текст',
    failed: 'Не удалось загрузить средство просмотра. Это справочник без оформления.',
  },
)
