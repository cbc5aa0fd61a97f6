import { defineTexts } from '@storey/web'

export const accessTexts = defineTexts(
  {
    askAdministrator: 'An administrator can give you the role “manager”.',
    notOwnRoles:
      'You cannot change your own roles: use the sandbox token, ask another administrator, or add a person with the role “manager” and sign in as that person.',
    people: 'People',
    useToken: 'Use the sandbox token',
    tokenTitle: 'Use the sandbox token',
    tokenLabel: 'Sandbox token',
    tokenWhere: 'Copy it from the page “Connect” of this sandbox in the portal, or run “svc sandbox connect”.',
    tokenKept: 'It allows everything in this sandbox. It stays in this tab and is gone when you reload the page.',
    tokenWrong: 'This is not the token of a sandbox.',
    tokenRefused: 'Copy the token again. It may belong to another sandbox, or may have expired.',
    tokenSubmit: 'Use token',
    openPortal: 'Open the portal',
    withToken: 'You are using the sandbox token on this page.',
    forget: 'Stop using it',
    cancel: 'Cancel',
  },
  {
    askAdministrator: 'Роль «Управляющий» может назначить администратор.',
    notOwnRoles:
      'Свои роли изменить нельзя: используйте токен песочницы, обратитесь к другому администратору или добавьте человека с ролью «Управляющий» и войдите под его именем.',
    people: 'Люди',
    useToken: 'Использовать токен песочницы',
    tokenTitle: 'Токен песочницы',
    tokenLabel: 'Токен песочницы',
    tokenWhere:
      'Скопируйте его на портале, на странице «Подключение» этой песочницы, или выполните «svc sandbox connect».',
    tokenKept:
      'Он разрешает в этой песочнице всё. Он хранится только в этой вкладке и исчезает при перезагрузке страницы.',
    tokenWrong: 'Это не токен песочницы.',
    tokenRefused: 'Скопируйте токен снова: возможно, он от другой песочницы или истёк.',
    tokenSubmit: 'Использовать',
    openPortal: 'Открыть портал',
    withToken: 'На этой странице вы используете токен песочницы.',
    forget: 'Больше не использовать',
    cancel: 'Отмена',
  },
)
