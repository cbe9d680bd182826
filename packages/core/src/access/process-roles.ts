/**
 * The processes that may connect with a role of their own. The owner of the tables is none of them: it migrates, and
 * nothing else. `api` is whoever uses the queue, a service with `createQueue` included; `worker` is whoever runs
 * jobs; `readonly` is for people and dashboards; `enqueue` is whoever calls the functions of the schema. `functions` is what
 * those run as: nobody connects with it. `api_tenant` is the API again, as it serves a tenant's requests.
 */
export const processes = ['api', 'worker', 'readonly', 'enqueue', 'functions', 'api_tenant'] as const

export type Process = (typeof processes)[number]

/** The name of each process's role. */
export type RoleNames = Readonly<Record<Process, string>>
