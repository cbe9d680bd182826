/**
 * The processes that can connect with a role of their own. The owner of the tables is not one of them: it only
 * migrates. `api` uses the queue, also a service with `createQueue`; `worker` runs jobs; `readonly` is for people and
 * dashboards; `enqueue` calls the functions of the schema. `functions` is the role that those functions run as; nobody
 * connects with it. `api_tenant` is the API when it serves a tenant's requests.
 */
export const processes = ['api', 'worker', 'readonly', 'enqueue', 'functions', 'api_tenant'] as const

export type Process = (typeof processes)[number]

/** The name of each process's role. */
export type RoleNames = Readonly<Record<Process, string>>
