import { defineTexts } from './texts.ts'

/** The roles of a sandbox: the name of each, and what it allows. */
export const roleTexts = defineTexts(
  {
    user: 'User',
    accountant: 'Accountant',
    manager: 'Manager',
    admin: 'Admin',
    'building-graph-writer': 'Building graph writer',
    userHint: 'Read the building, create service requests',
    accountantHint: 'Read the building, create service requests, import elements and points',
    managerHint: 'Write layers, the building graph and webhooks, review changesets, manage service requests and faults',
    adminHint: 'Manage people, write the building graph, review changesets, manage service requests and faults',
    'building-graph-writerHint': 'Write the building graph and layers of every building of the organization',
  },
  {
    user: 'Пользователь',
    accountant: 'Бухгалтер',
    manager: 'Управляющий',
    admin: 'Администратор',
    'building-graph-writer': 'Запись графа здания',
    userHint: 'Читать здание, создавать заявки',
    accountantHint: 'Читать здание, создавать заявки, импортировать оборудование и точки',
    managerHint: 'Изменять слои, граф здания и вебхуки, проверять наборы изменений, вести заявки и неисправности',
    adminHint:
      'Управлять учётными записями, изменять граф здания, проверять наборы изменений, вести заявки и неисправности',
    'building-graph-writerHint': 'Изменять граф и слои всех зданий организации',
  },
)
