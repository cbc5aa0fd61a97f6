import { defineTexts } from './texts.ts'

/** The roles of a sandbox: the name of each, and what it allows. `PERMISSIONS` of `contract` has the rules. */
export const roleTexts = defineTexts(
  {
    user: 'User',
    accountant: 'Accountant',
    manager: 'Manager',
    admin: 'Admin',
    'building-graph-writer': 'Building graph writer',
    userHint: 'Read the building, create service requests',
    accountantHint: 'Read the building, create service requests, import building models and tables',
    managerHint:
      'Write layers, the building graph and webhooks, import building models and tables, review changesets, manage service requests and faults',
    adminHint:
      'Manage people, write the building graph, import building models and tables, review changesets, manage service requests and faults',
    'building-graph-writerHint': 'Write the building graph and layers of every building of the organization',
  },
  {
    user: 'Пользователь',
    accountant: 'Бухгалтер',
    manager: 'Управляющий',
    admin: 'Администратор',
    'building-graph-writer': 'Редактор графа здания',
    userHint: 'Просматривать данные здания, создавать заявки',
    accountantHint: 'Просматривать данные здания, создавать заявки, импортировать модели здания и таблицы',
    managerHint:
      'Изменять слои, граф здания и вебхуки, импортировать модели здания и таблицы, проверять наборы изменений, работать с заявками и сбоями',
    adminHint:
      'Управлять учётными записями, изменять граф здания, импортировать модели здания и таблицы, проверять наборы изменений, работать с заявками и сбоями',
    'building-graph-writerHint': 'Изменять граф и слои всех зданий организации',
  },
)
