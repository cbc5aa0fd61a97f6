import { PASSWORD_LENGTH } from '../accounts/passwords.ts'
import type { Context } from '../realm/koa.ts'

export const LOCALES = ['en', 'ru'] as const
export type Locale = (typeof LOCALES)[number]

const { min, max } = PASSWORD_LENGTH

function waitInEnglish(seconds: number): string {
  const [n, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${n} ${unit}${n === 1 ? '' : 's'}`
}

const en = {
  signInTo: (client: string) => `Sign in to ${client}`,
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  demoPassword: (email: string, file: string) =>
    `This is a development system. The password of ${email} is in the start message and in the file ${file}.`,
  sandboxAccounts: 'Accounts of this sandbox sign in here. Its owner opens the console',
  fromPortal: 'from the portal',
  orWith: 'or with',
  linkUsed: 'This link was used or has expired',
  run: 'Run',
  againOrOpen: 'again, or open the console',
  cancel: 'Cancel',
  wrongPassword: 'The email or the password is wrong.',
  accountDisabled: 'This account is disabled. Ask the operator of the service.',
  tooManyAttempts: (seconds: number) => `Too many attempts. Wait ${waitInEnglish(seconds)} and try again.`,
  busy: (seconds: number) => `The service is busy. Wait ${waitInEnglish(seconds)} and try again.`,
  choosePassword: 'Choose a password',
  choosePasswordText: `You were given a temporary password. Choose your own, with at least ${min} characters.`,
  newPassword: 'New password',
  newPasswordAgain: 'New password again',
  saveAndSignIn: 'Save and sign in',
  passwordsDiffer: 'The two passwords differ.',
  passwordIsOld: 'Choose a password other than the one you were given.',
  passwordViolations: {
    short: `The password must have at least ${min} characters.`,
    long: `The password must have at most ${max} characters.`,
    address: 'The password must not contain the name in your email address.',
    repetitive: 'The password must have at least 4 different characters.',
  },
  allowClient: (client: string) => `Allow ${client}?`,
  asksTo: 'The application asks to:',
  scopes: {
    openid: 'know who you are',
    email: 'see your email address',
    profile: 'see your user name, which is your email address',
    offline_access: 'stay signed in while you are away',
  } as Record<string, string>,
  allow: 'Allow',
  refuse: 'Deny',
  connectDevice: 'Connect a device',
  connectDeviceText: 'Enter the code that the device shows.',
  code: 'Code',
  continue: 'Continue',
  codeMissing: 'Enter the code first.',
  codeUnknown: 'This code does not exist. Check it, or start again on the device.',
  codeExpired: 'The code has expired. Start again on the device.',
  codeUsed: 'The code has been used. Start again on the device.',
  deviceRefused: 'Access denied. The device was not connected.',
  devicePageExpired: 'This page has expired. Enter the code again.',
  tooManyCodes: 'Too many wrong codes',
  tooManyCodesText: 'Wait a minute, then start again on the device.',
  pageExpired: 'This page has expired',
  enterCodeAgain: 'Enter the code again.',
  deviceText: 'The program can act for you until you sign it out, or until it has not been used for 30 days.',
  deviceTextFor: (email: string) =>
    `The program can act for ${email} until you sign it out, or until it has not been used for 30 days.`,
  anotherAccount: 'Use another account',
  askedFrom: 'Requested from',
  program: 'Program',
  deviceCaution:
    'Allow access only if you have just started this sign-in yourself, and your device shows the same code.',
  deviceDone: 'The device is connected',
  deviceDoneText: (client: string) => `${client} is signed in. You can close this page.`,
  signOutAsk: 'Sign out?',
  signOutText: 'You will need to sign in again to continue.',
  signOut: 'Sign out',
  staySignedIn: 'Stay signed in',
  signedOut: 'You are signed out',
  signedOutText: 'You can close this page.',
  oneMoreStep: 'One more step',
  signInExpired: 'This sign-in has expired',
  signInExpiredText: 'Go back to the application and start again.',
  goTo: (client: string) => `Go to ${client}`,
  serverError: 'Something went wrong on our side',
  serverErrorText: 'Try again in a moment.',
  notFound: 'Page not found',
  notFoundText: 'Check the address, or go back to the application.',
  badRequest: 'This request is not valid',
  badRequestText: 'The application sent a request that is not allowed.',
}

export type Texts = typeof en

const pluralInRussian = new Intl.PluralRules('ru')
const MINUTES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'минуту', few: 'минуты' }
const SECONDS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'секунду', few: 'секунды' }

function waitInRussian(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return seconds < 60
    ? `${seconds} ${SECONDS[pluralInRussian.select(seconds)] ?? 'секунд'}`
    : `${minutes} ${MINUTES[pluralInRussian.select(minutes)] ?? 'минут'}`
}

const ru: Texts = {
  signInTo: (client) => `Вход: ${client}`,
  email: 'Электронная почта',
  password: 'Пароль',
  signIn: 'Войти',
  demoPassword: (email, file) =>
    `Это система для разработки. Пароль для ${email} указан в сообщении при запуске и в файле ${file}.`,
  sandboxAccounts: 'Здесь входят с учётной записью этой песочницы. Её владелец открывает консоль',
  fromPortal: 'из портала',
  orWith: 'или командой',
  linkUsed: 'Ссылка уже использована или устарела',
  run: 'Выполните',
  againOrOpen: 'ещё раз или откройте консоль',
  cancel: 'Отмена',
  wrongPassword: 'Неверный адрес или пароль.',
  accountDisabled: 'Эта учётная запись отключена. Обратитесь к оператору сервиса.',
  tooManyAttempts: (seconds) => `Слишком много попыток. Подождите ${waitInRussian(seconds)} и повторите.`,
  busy: (seconds) => `Сервис занят. Подождите ${waitInRussian(seconds)} и повторите.`,
  choosePassword: 'Задайте пароль',
  choosePasswordText: `Вам выдан временный пароль. Задайте свой, не короче ${min} знаков.`,
  newPassword: 'Новый пароль',
  newPasswordAgain: 'Новый пароль ещё раз',
  saveAndSignIn: 'Сохранить и войти',
  passwordsDiffer: 'Пароли не совпадают.',
  passwordIsOld: 'Новый пароль должен отличаться от выданного.',
  passwordViolations: {
    short: `В пароле должно быть не меньше ${min} знаков.`,
    long: `В пароле должно быть не больше ${max} знаков.`,
    address: 'Пароль не должен содержать имя из вашего адреса почты.',
    repetitive: 'В пароле должно быть не меньше 4 разных знаков.',
  },
  allowClient: (client) => `Разрешить: ${client}?`,
  asksTo: 'Приложение хочет:',
  scopes: {
    openid: 'знать, кто вы',
    email: 'видеть адрес вашей почты',
    profile: 'видеть ваше имя пользователя (адрес почты)',
    offline_access: 'сохранять вход, пока вас нет',
  },
  allow: 'Разрешить',
  refuse: 'Запретить',
  connectDevice: 'Подключить устройство',
  connectDeviceText: 'Введите код, который показывает устройство.',
  code: 'Код',
  continue: 'Продолжить',
  codeMissing: 'Сначала введите код.',
  codeUnknown: 'Такой код не существует. Проверьте его или начните на устройстве заново.',
  codeExpired: 'Срок действия кода истёк. Начните на устройстве заново.',
  codeUsed: 'Код уже использован. Начните на устройстве заново.',
  deviceRefused: 'Доступ запрещён. Устройство не подключено.',
  devicePageExpired: 'Страница устарела. Введите код ещё раз.',
  tooManyCodes: 'Слишком много неверных кодов',
  tooManyCodesText: 'Подождите минуту и начните на устройстве заново.',
  pageExpired: 'Страница устарела',
  enterCodeAgain: 'Введите код ещё раз.',
  deviceText:
    'Программа сможет действовать от вашего имени, пока вы её не отключите или не пройдёт 30 дней без использования.',
  deviceTextFor: (email) =>
    `Программа сможет действовать от имени ${email}, пока вы её не отключите или не пройдёт 30 дней без использования.`,
  anotherAccount: 'Войти в другую учётную запись',
  askedFrom: 'Запрос с адреса',
  program: 'Программа',
  deviceCaution: 'Разрешайте доступ, только если вы сами начали этот вход и устройство показывает тот же код.',
  deviceDone: 'Устройство подключено',
  deviceDoneText: (client) => `Вход выполнен: ${client}. Страницу можно закрыть.`,
  signOutAsk: 'Выйти?',
  signOutText: 'Чтобы продолжить, придётся войти снова.',
  signOut: 'Выйти',
  staySignedIn: 'Остаться в системе',
  signedOut: 'Вы вышли',
  signedOutText: 'Страницу можно закрыть.',
  oneMoreStep: 'Ещё один шаг',
  signInExpired: 'Время на вход истекло',
  signInExpiredText: 'Вернитесь в приложение и начните заново.',
  goTo: (client) => `Перейти: ${client}`,
  serverError: 'Произошла ошибка на нашей стороне',
  serverErrorText: 'Повторите через минуту.',
  notFound: 'Страница не найдена',
  notFoundText: 'Проверьте адрес или вернитесь в приложение.',
  badRequest: 'Недопустимый запрос',
  badRequestText: 'Приложение отправило запрос, который не разрешён.',
}

const TEXTS: Record<Locale, Texts> = { en, ru }
export const ENGLISH: Texts = en

/** The language that `readLocale` found for the request. */
export const localeOf = (ctx: Context): Locale => (ctx.state.locale as Locale | undefined) ?? 'en'
export const textsOf = (ctx: Context): Texts => TEXTS[localeOf(ctx)]

/** The first of our languages in a list of tags, such as `ru-RU en` (OpenID Connect Core, `ui_locales`). */
export function pickLocale(tags: string): Locale | undefined {
  return tags
    .toLowerCase()
    .split(/\s+/)
    .map((tag) => LOCALES.find((locale) => tag === locale || tag.startsWith(`${locale}-`)))
    .find((locale) => locale !== undefined)
}
