// Made from the OpenAPI document of the API by `pnpm --filter @queue/client generate`.
export interface paths {
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs, newest first
         * @description All filters hold at once. Jobs that are enqueued meanwhile do not disturb the pages: no job is shown twice, and none that was there at the start is missing. A request reads at most 10000 jobs. With filters that match few of them a page may be short or even empty; next_cursor then says that there is more, and scanned how far it has looked. A page also ends with the job whose payload, result and error bring it to 4194304 bytes.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Enqueue a job
         * @description The answer comes after the job is committed. With an idempotency key the request is safe to repeat: one key makes one job for as long as the job is kept, whatever the body. Repeat it when no answer came (504, a broken connection). Numbers that a double cannot hold exactly, U+0000, lone surrogates and members named `__proto__` are refused. With `Prefer: wait=N` the answer comes when the job has ended, at the latest after N seconds.
         */
        post: operations["createJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enqueue up to 1 000 jobs, all or none
         * @description One statement writes them all. When one job is not valid, none is written, and the issues name its position, as in `/jobs/3/payload/to`. Each job may have an idempotency_key. A known key with a different request is answered with the original job and `Idempotency-Mismatch: true`. Where mismatches are refused, none is written, and the issues name the positions of such keys.
         */
        post: operations["createJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the states of some jobs
         * @description What changes of up to 200 jobs while they run, in one read and no order, without their documents. Those that are not there are left out. Nothing is written.
         */
        post: operations["listJobStates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the jobs of a filter
         * @description Waiting jobs are cancelled, and the cancel of running ones is requested. Up to 1000 jobs are changed at once, all or none. More become an operation, which workers carry out in batches (202).
         */
        post: operations["cancelJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requeue the jobs of a filter
         * @description Jobs that failed for good or were cancelled begin a new life, but for those whose expiry is past or whose unique key another job holds. Up to 1000 jobs are changed at once, all or none. More become an operation, which workers carry out in batches (202).
         */
        post: operations["requeueJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/reschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move the start of the jobs of a filter
         * @description Waiting jobs get another earliest start; a past instant counts as now. What is done at once can be taken back by what it answers. Up to 1000 jobs are changed at once, all or none. More become an operation, which workers carry out in batches (202).
         */
        post: operations["rescheduleJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/undo-reschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back a reschedule
         * @description Each job that waits, and was not changed since, may start when it could before; a job that was due takes its place again. The others stay as they are, and are counted as skipped. Up to 1000 jobs, at once, all in one transaction. Sent again, it finds them changed, and skips them.
         */
        post: operations["undoReschedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete the jobs of a filter
         * @description Jobs that do not run are removed, with their attempts, logs and dead letters. It is always an operation, which workers carry out in batches (202).
         */
        post: operations["deleteJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase the jobs of a filter
         * @description Jobs that do not run are removed, with their attempts, logs and dead letters. Entries of the audit log name them no longer, and groups of failures show none of their errors. It is always an operation, which workers carry out in batches (202).
         */
        post: operations["eraseJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job
         * @description The job as it is now. With `Prefer: wait=N` the answer comes when the job has ended, at the latest after N seconds. With If-None-Match, the answer for an unchanged job is a 304 without a body.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit a waiting job
         * @description Changes a job that waits, and no other (409): it runs as it was, or as it is then, and never as a mixture. If-Match has the ETag of the job as it was read: where it has changed since, nothing is (412). The fingerprint of its idempotency key stays that of the request that made it.
         */
        patch: operations["editJob"];
        trace?: never;
    };
    "/jobs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a job
         * @description Server-sent events. The first one has the present state. `state` follows a change of status, attempts or cancel_requested, `progress` a change of progress or progress_message alone, and `gone` the removal of the job. The data is JSON with id, status, attempts, max_attempts, cancel_requested, progress, progress_message and updated_at. Short-lived states may be left out, the last one never. The stream ends with the job. A client that then reconnects with `Last-Event-ID` is answered 204, which stops an EventSource. With `logs` each line that the handler has logged is a `log` event too, as GET /jobs/{id}/logs shows it: all of them, in order, before the event of the end. A stream that is opened with the id of such an event goes on behind it.
         */
        get: operations["getJobEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ended attempts of a job
         * @description Oldest first; at most 100 are kept. An attempt that is still running is not among them.
         */
        get: operations["listExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what the handler of a job has logged
         * @description In the order in which it was logged, attempt after attempt, those that still run among them. An attempt keeps 1000 lines and 262144 bytes; its last line then says how many were dropped. Lines are stored within a second, all of them before the end of the attempt. A request reads at most 10000 lines: with a level a page may be short or even empty, and next_cursor says that there is more.
         */
        get: operations["listJobLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/expected-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * When does a waiting job begin?
         * @description Its place in its queue, and when it will begin at the rate of the last five minutes. Only minutes tell in which jobs had to wait for a slot: the starts of others say how many jobs came, and not how many could have begun. Where nobody can say, expected_at is null, and unknown says why. Up to 10000 jobs before it are counted, those of kinds that no worker runs among them.
         */
        get: operations["getExpectedStart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why does a job not start?
         * @description Each reason with what would end it. Those that block are conditions of the claim itself: nothing blocks a job exactly when a claim of some live worker that takes whatever it may would take it. Then start tells its place, counted up to 10000, and when it begins as far as that is known.
         */
        get: operations["getWhy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description A waiting job is cancelled at once (200). Of a running job the cancel is requested (202), and its handler stops at its next safe point. If the handler finishes first, its real outcome is recorded. An ended job cannot be cancelled (409).
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requeue a failed or cancelled job
         * @description Queues the job with all its attempts, due now, and deletes its dead letter. A job whose expiry is past needs a later one.
         */
        post: operations["requeueJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/run-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a waiting job now
         * @description Its time has come: it starts as soon as a worker is free. Only a waiting job can be run now (409).
         */
        post: operations["runJobNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enqueue another job like this one
         * @description The other job has the same kind, payload, queue, tenant and options. It has neither the idempotency key nor the unique key, and is due now. A receipt has no payload, and cannot be duplicated.
         */
        post: operations["duplicateJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that reads a job
         * @description For 15 minutes, whoever has the link can read this job without credentials, but neither its payload nor its result. The link is void when the key that made it is revoked or expires. Where the server has no API_LINK_SECRET, there are no links, and this path is a 404.
         */
        post: operations["createJobLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/linked-jobs/{link}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job by a link
         * @description The job as it is now, with what is sensitive of it hidden. A link that is wrong, that has expired, or whose maker may no longer read the job, is a 404 that does not say which. Of one maker, a job can be read 20 times at once, and then 2 times a second, in each process.
         */
        get: operations["getLinkedJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the failures of attempts by their causes
         * @description Groups of failures of one cause, in one queue and of one tenant, those that were seen last first. A cause is the kind, the class and message of the error without numbers, ids and quoted values, and where it was thrown. Attempts whose worker was lost are in none. With `from` or `to`: the groups with failures in that time, each with their number, its share of the attempts of its kind, and its trend. Failures are counted with the statement that records them, by the hour in UTC, and hours are kept for 30 days. A group that is seen again meanwhile may move to another page. Kept: the 10000 that were seen last, for as long as jobs that failed. Acts by filter take a fingerprint.
         */
        get: operations["listErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dead letters, the latest first
         * @description All filters hold at once. Jobs that fail meanwhile do not disturb the pages. A request reads at most 10000 dead letters. With filters that match few of them a page may be short or even empty; next_cursor then says that there is more. A page also ends with the dead letter whose payload, history and error bring it to 4194304 bytes.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requeue many dead letters
         * @description Requeues the dead letters that match the filter; without a filter, all of them. Up to 1000 are requeued at once, all or none. More become an operation, which workers carry out in batches (202).
         */
        post: operations["requeueDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dead letter
         * @description The job as it was when it failed for good, with the history of its attempts.
         */
        get: operations["getDeadLetter"];
        put?: never;
        post?: never;
        /**
         * Delete a dead letter
         * @description Deletes only the dead letter. Its job stays failed_permanent.
         */
        delete: operations["deleteDeadLetter"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/{id}/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requeue a dead letter
         * @description In one transaction, queues the job with all its attempts, due now, and deletes the dead letter. A job that was pruned meanwhile is made again under its own id.
         */
        post: operations["requeueDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operations, newest first
         * @description Acts on many jobs, which workers carry out in batches. A key with bounds sees those that were asked for within the same.
         */
        get: operations["listOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an operation
         * @description How far it has come.
         */
        get: operations["getOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an operation
         * @description After the answer it changes no further job; what it has changed stays so. One that has ended stays as it is.
         */
        post: operations["cancelOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the schedules
         * @description Every schedule, by name.
         */
        get: operations["listSchedules"];
        put?: never;
        /**
         * Create a schedule
         * @description A job of its kind is enqueued at each of its instants, by whichever worker comes first, and once. What its kind decides (queue, priority, attempts) is kept as it is now.
         */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * When would a schedule fire?
         * @description The next instants of a timing, from now on by the clock of the database. Nothing is written.
         */
        post: operations["previewTiming"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring the schedules of a source in step, all or none
         * @description Schedules of the list are made or changed; those that are as they should be keep their next instant, and a pause stays. With prune, further schedules of this source are deleted. A revision older than one that was there before changes nothing.
         */
        post: operations["syncSchedules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a schedule
         * @description The schedule, with its next and last run, and what it has fired and dropped.
         */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         * @description Once this has answered, it enqueues nothing. The jobs that it has enqueued stay.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Change a schedule
         * @description Absent members stay, and null takes away. An expression takes the place of an interval, and the other way round. Where the change moves its instants, the schedule starts anew from now; otherwise a run that is due comes as changed.
         */
        patch: operations["updateSchedule"];
        trace?: never;
    };
    "/schedules/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a schedule
         * @description Once this has answered, it enqueues nothing. Pausing a paused schedule changes nothing.
         */
        post: operations["pauseSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a paused schedule go on
         * @description It goes on from now: runs that fell into the pause are not made up for. Resuming one that fires changes nothing.
         */
        post: operations["resumeSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/{name}/run-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enqueue a job of a schedule now
         * @description Paused or not; its instants stay as they are. With an idempotency key the request may be repeated at will.
         */
        post: operations["runScheduleNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/{name}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * When does a schedule fire?
         * @description Its next instants, paused or not, from now on by the clock of the database.
         */
        get: operations["previewSchedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the queues
         * @description Every queue that a worker has served or that has live jobs, by name, with its depth by state, how many of its jobs are due, the age of the oldest of these, and its live workers. A page reads the live jobs of its own queues, and nothing of the history.
         */
        get: operations["listQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of a queue with the most waiting jobs
         * @description Which customers, accounts or whatever else the keys of jobs stand for have the most jobs that wait, and whether a limit of the key holds them. Up to 10000 jobs that wait are counted. Of a queue with more, a sample of the table finds the keys, and each is counted to 1000; a tenant's are found in the first 10000. So the answer takes as long with ten million jobs. A queue that is not there has no keys.
         */
        get: operations["listQueueKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a queue
         * @description After the answer no worker starts a job of the queue. Running jobs go on, and jobs can still be enqueued. Pausing a paused queue changes nothing.
         */
        post: operations["pauseQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a queue
         * @description Resuming an open queue changes nothing.
         */
        post: operations["resumeQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove what waits in a queue
         * @description Removes the jobs of the queue that wait now, with their attempts. Running and ended jobs stay. It is always an operation, which workers carry out in batches (202): send `dry_run` first.
         */
        post: operations["purgeQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What has happened to jobs over time
         * @description How many jobs were enqueued, started, ended and retried within each minute, hour or day, and how long they waited and ran; or the same of each queue and kind over the whole time. Minutes are kept for 48 hours, hours for 90 days, in UTC. Each process counts what it does and adds it every 10 seconds, so up to the last 10 seconds are missing still; a process that is killed takes its last 10 seconds along. No job is read.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What needs somebody now
         * @description The conditions of those alerts that the database can be asked for, the worst first, and of those the one that has lasted longest: since when, how many, and what ends each. Ends that the database refuses, stuck handlers, blocked event loops and exhausted pools are known to their processes alone: metrics tell of them. Counts go up to 1000.
         */
        get: operations["getAttention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/diagnosis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What doctor finds
         * @description The checks of `migrate doctor` of the schema, the server and the queue, as far as the database role of the API may read what they ask for, failures first. Each is a read-only transaction of 1 s at most. The answer may be 10 s old: all who ask are given the same.
         */
        get: operations["getDiagnosis"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the limits
         * @description What limits how many jobs run at a time and how fast they start, by queue, scope and name, and how far each is used.
         */
        get: operations["listLimits"];
        /**
         * Set a limit
         * @description Sets what holds for a queue, a kind in it or its keys, in place of what held before. After the answer no worker starts a job beyond it. Jobs that run already count, and go on even if they are more than the limit allows.
         */
        put: operations["setLimit"];
        post?: never;
        /**
         * Delete a limit
         * @description What it held back may start.
         */
        delete: operations["deleteLimit"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workers
         * @description The worker processes of the last hour: active ones first, the newest of each first.
         */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the kinds of job
         * @description Those that the API was started with and those of the registry, retired ones too, by name.
         */
        get: operations["listKinds"];
        put?: never;
        /**
         * Register kinds of job, all or none
         * @description Jobs of them are taken at once. Workers register the kinds of their handlers by themselves. Another schema for a version that exists replaces it, or is refused with 409 while jobs of that version are there, as `KIND_CHANGES` says. Patterns are matched in linear time, so look-around and back references are refused.
         */
        post: operations["registerKinds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kinds/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a kind of job
         * @description Its versions, each with its schema, its defaults, and how many live workers run it.
         */
        get: operations["getKind"];
        put?: never;
        post?: never;
        /**
         * Retire a kind of job
         * @description No further jobs of its registered versions are taken; those that are there run on. A worker that registers it again does not bring it back: POST /kinds with `restore` does. Retiring a retired kind changes nothing.
         */
        delete: operations["retireKind"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who asks, and what they may do
         * @description The key of this request, its permissions, and its bounds. It tells nothing of anybody else.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of the API
         * @description Every key that was ever made, the newest first, without its secret. Keys are made by `migrate keys create`.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key of the API
         * @description Every process of the API refuses the key within a second. A revocation cannot be undone. The key stays in the list. Revoking a revoked key changes nothing.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what, the latest first
         * @description Each cancel, requeue, pause, resume, deletion of a dead letter and change of a key has one entry, written with what it changed. All filters hold at once. Pages stay right while entries are added. A request reads a bounded number of entries (10000); with filters that match few of them a page may be short, even empty, while next_cursor says that there is more.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Liveness, for supervisors
         * @description Does not ask the database: a restart does not bring a lost database back.
         */
        get: operations["livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness, for load balancers
         * @description Ready while the database answers within 2 s, its schema fits this release, and the process is not stopping. A database that refuses writes, such as a standby, is ready for reads; `writes` is then `refused`. Probes that come close together share one answer.
         */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness, for people
         * @description The checks of /readyz, and how long the process has been running.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description The text format of Prometheus, version 0.0.4.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This documentation, to read and to try out
         * @description Swagger UI, served from here: nothing is loaded from elsewhere.
         */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{asset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A part of the documentation page
         * @description One of swagger-ui.css, swagger-ui-bundle.js, swagger-ui-standalone-preset.js, swagger-ui-init.js, favicon-16x16.png, favicon-32x32.png.
         */
        get: operations["docsAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-docs/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description The API in OpenAPI 3.1, made from the schemas that requests are checked with.
         */
        get: operations["openApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActResult: {
            /** @description How many jobs were changed; on a dry run, how many would be, counted up to 100000. */
            count: number;
            /** @description On a dry run: whether there may be more. */
            is_least: boolean;
            /** @description Whether workers carry it out; on a dry run, whether they would, also without a rate. */
            by_workers: boolean;
            /** @description How far it has looked, where it has read as many rows as it may; null where it has looked at all. */
            scanned: {
                /** @description How many rows it has read. */
                rows: number;
                /**
                 * Format: date-time
                 * @description When the oldest of them was created.
                 */
                back_to: string;
            } | null;
            /** @description Jobs that were found, and were no longer such once locked. */
            skipped: number;
            /** @description The jobs that were changed; on a dry run, up to 10 of those that would be. */
            job_ids: string[];
            /** @description Of a reschedule that was done at once, for each of the jobs: what `POST /jobs/undo-reschedule` takes. Else empty. */
            previous: components["schemas"]["PreviousStart"][];
            dry_run: boolean;
            /** @description The operation that workers carry out; null where everything is done. */
            operation: {
                /**
                 * Format: uuid
                 * @description A UUIDv7: the order of ids is the order of creation.
                 */
                id: string;
                /**
                 * @description What is done with each job.
                 * @enum {string}
                 */
                act: "cancel" | "requeue" | "reschedule" | "delete" | "purge" | "erase" | "requeue_dead_letters";
                /** @description Which jobs. Without the permission payload:read, `***` stands for a key. */
                filter: unknown;
                /**
                 * Format: date-time
                 * @description The earliest start that a reschedule sets.
                 */
                run_at: string | null;
                /** @description Jobs a second, at most; null: as fast as it goes. */
                rate: number | null;
                /**
                 * @description refused: whoever asked may no longer do it. failed: the database refuses a change. Both have a reason.
                 * @enum {string}
                 */
                state: "running" | "succeeded" | "cancelled" | "refused" | "failed";
                /** @description How many jobs its filter found when it was made. */
                expected: number;
                /** @description Whether there may have been more than were counted. */
                expected_is_least: boolean;
                /** @description Jobs that it has changed. */
                changed: number;
                /** @description Jobs that it found, and that were no longer such when it came to change them. */
                skipped: number;
                /** @description Why it ended otherwise than it should. */
                reason: string | null;
                /** @description The key or the role that asked for it. */
                actor: string | null;
                /** @description What the key is called. */
                actor_name: string | null;
                /**
                 * Format: date-time
                 * @description When it was asked for.
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description When it ended; null while it runs.
                 */
                finished_at: string | null;
            } | null;
        };
        /** @description Something that needs somebody. */
        Attention: {
            /** @enum {string} */
            condition: "queue_unserved" | "schedules_late" | "schedules_stopped" | "database_read_only" | "queue_backlog_old" | "kind_unserved" | "queue_paused_for_long" | "jobs_failing" | "dead_letters" | "workers_lost" | "old_snapshot" | "dead_letters_kept";
            /** @enum {string} */
            severity: "critical" | "warning" | "info";
            /** @description Which queue; null where it is about none. */
            queue: string | null;
            /** @description Which kind; null where it is about none. */
            kind: string | null;
            /** @description How many jobs, attempts, dead letters, workers or schedules it is about. */
            count: number;
            /** @description Whether there are more than 1000. */
            count_is_capped: boolean;
            /**
             * Format: date-time
             * @description Null where that is not known.
             */
            since: string | null;
            /** @description What ends it. */
            ends: string;
            /** @description The page in docs/runbooks. */
            runbook: string;
        };
        AttentionList: {
            data: components["schemas"]["Attention"][];
        };
        /** @description Who changed what, and when. */
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description When, by the clock of the database.
             */
            at: string;
            /**
             * @description What was done.
             * @enum {string}
             */
            act: "job.cancel" | "job.requeue" | "job.reschedule" | "job.run_now" | "job.duplicate" | "job.edit" | "job.delete" | "job.erase" | "operation.cancel" | "dead_letter.requeue" | "dead_letter.delete" | "queue.pause" | "queue.resume" | "queue.purge" | "limit.set" | "limit.delete" | "schedule.create" | "schedule.update" | "schedule.delete" | "schedule.pause" | "schedule.resume" | "schedule.run_now" | "schedule.sync" | "kind.register" | "kind.retire" | "key.create" | "key.rotate" | "key.revoke";
            /**
             * @description key: an API key. subject: that of a token of the OpenID Connect issuer. token: whoever has API_TOKEN. anyone: a caller of an API that asks for no credentials. role: a role of the database, at the command line.
             * @enum {string}
             */
            actor_type: "key" | "subject" | "token" | "anyone" | "role";
            /** @description The id of the key, the subject, or the name of the role; otherwise the type. */
            actor: string;
            /** @description What the key or the subject was called. */
            actor_name: string | null;
            /** @description The role of the database that wrote the entry. */
            database_role: string;
            /** @description The tenant that the actor was held to. */
            tenant_id: string | null;
            /** @description The other end of the connection: the client, or the proxy that it came through. */
            address: string | null;
            /** @description The X-Request-Id of the request. */
            request_id: string | null;
            /** @description How many jobs, dead letters, queues or keys it changed. */
            count: number;
            /** @description The queue, the dead letter or the key that it named. */
            target: string | null;
            /** @description What chose the jobs, where nobody named them; otherwise null. */
            filter: unknown;
            /** @description The jobs whose course it changed. */
            job_ids: string[];
        };
        AuditList: {
            data: components["schemas"]["AuditEntry"][];
            /** @description What to send as cursor for the next page; null at the end. */
            next_cursor: string | null;
        };
        CancelJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * @description Change nothing: count the jobs, up to 100000, and name a few.
             * @default false
             */
            dry_run?: boolean;
            /** @description Jobs a second, at most. With it, it is an operation, however few there are. */
            rate?: number;
        };
        /** @description The checks that readiness depends on. */
        Checks: {
            /** @enum {string} */
            process: "running" | "stopping";
            /** @enum {string} */
            database: "up" | "down";
            /** @enum {string} */
            schema: "compatible" | "missing" | "older" | "newer" | "unknown";
            /** @enum {string} */
            writes: "accepted" | "refused" | "unknown";
        };
        /** @description What has happened to jobs. */
        Counts: {
            /** @description Jobs that were created then, counted once a worker has got them or they were cancelled. */
            enqueued: number;
            /** @description Attempts that began. */
            started: number;
            /** @description Jobs that succeeded. */
            succeeded: number;
            /** @description Jobs that failed for good. */
            failed: number;
            /** @description Attempts that failed, or whose worker was lost, and that are tried again. */
            retried: number;
            /** @description Jobs that were cancelled. */
            cancelled: number;
            /** @description How long jobs were due before an attempt began; null where none began. */
            wait_ms: {
                /** @description Half of all took no longer, in milliseconds. */
                p50: number;
                /** @description 95 of 100 took no longer. */
                p95: number;
                /** @description 99 of 100 took no longer. */
                p99: number;
            } | null;
            /** @description How long attempts ran that ended in one of the four ways above; null where none has. */
            run_ms: {
                /** @description Half of all took no longer, in milliseconds. */
                p50: number;
                /** @description 95 of 100 took no longer. */
                p95: number;
                /** @description 99 of 100 took no longer. */
                p99: number;
            } | null;
        };
        /** @description A job to be enqueued: one schema for each kind. */
        CreateJob: components["schemas"]["CreateSendEmailJob"] | components["schemas"]["CreateResizeImageJob"] | components["schemas"]["CreateSummarizeTextJob"] | components["schemas"]["CreateWebhookDeliveryJob"];
        CreateJobs: {
            jobs: components["schemas"]["CreateJob"][];
        };
        CreateResizeImageJob: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "resize_image";
            /** @description The version of the kind. Absent: the newest whose schema accepts the payload. */
            version?: number;
            payload: components["schemas"]["ResizeImagePayload"];
            /** @description Absent: the kind's own queue. */
            queue?: string;
            /** @description Lower runs first. Absent: the kind's own, mostly 4. */
            priority?: number;
            /**
             * Format: date-time
             * @description The earliest start; a past instant counts as now. Not together with delay_ms.
             */
            run_at?: string;
            /** @description Milliseconds from now to the earliest start. */
            delay_ms?: number;
            /**
             * Format: date-time
             * @description After the earliest start: a job that has not begun by then is cancelled. Not together with expires_in_ms.
             */
            expires_at?: string;
            /** @description Milliseconds from now to the same. */
            expires_in_ms?: number;
            /** @description Absent: the kind's own, mostly 3. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Makes repeating the request safe. The header Idempotency-Key takes precedence over this field. */
            idempotency_key?: string;
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description That it is the only job of its kind and tenant under a key. */
            unique?: {
                /** @description One job of the kind and tenant holds it at a time. */
                key: string;
                /**
                 * @description waiting: held until the first claim. live: until the job has ended. window: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description Milliseconds from the enqueue for which the key is held. With the scope window, and there alone. */
                window_ms?: number;
                /** @description With reschedule: the start moves at most so far from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, which gives the waiting job this payload and these options, and reschedule, which gives it this start.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Whose job it is. Idempotency keys are unique per tenant. */
            tenant_id?: string;
            /** @description Jobs of one key, such as those of one customer, can be limited together. Absent: what the kind's own pointer finds in the payload. */
            key?: string;
            /** @description How many tokens its start costs, of each rate that holds for it; no rate takes more than its burst. Absent: the kind's own, mostly 1. */
            weight?: number;
        };
        CreateResizeImageSchedule: {
            /** @description By which it is read and changed. */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "resize_image";
            payload: components["schemas"]["ResizeImagePayload"];
            /** @description The version of the kind. Absent: the newest whose schema accepts the payload. */
            version?: number;
            /** @description Absent: the kind's own queue. */
            queue?: string;
            /** @description Lower runs first. Absent: the kind's own. */
            priority?: number;
            /** @description Absent: the kind's own. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Milliseconds from the firing: a job that has not begun by then is cancelled. */
            expires_in_ms?: number;
            /** @description What each of its jobs is the only one of. */
            unique?: {
                /** @description One job of the kind and tenant holds it at a time. */
                key: string;
                /**
                 * @description waiting: held until the first claim. live: until the job has ended. window: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description Milliseconds from the enqueue for which the key is held. With the scope window, and there alone. */
                window_ms?: number;
                /** @description With reschedule: the start moves at most so far from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, which gives the waiting job this payload and these options, and reschedule, which gives it this start.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description The key of its jobs, by which they can be limited. Absent: what the kind's own pointer finds in the payload. */
            key?: string;
            /** @description How many tokens a start of its jobs costs, of each rate. Absent: the kind's own. */
            weight?: number;
            /** @description Five fields, minute hour day-of-month month day-of-week, or six with the second before them. This or every_ms. */
            cron?: string | null;
            /** @description The IANA name of the zone in which the expression counts. Absent: UTC. */
            time_zone?: string;
            /** @description Milliseconds between two runs, counted from starts_at, or else from 1970. This or cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this instant.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at this instant or after it.
             */
            ends_at?: string | null;
            /** @description Each run comes up to so many milliseconds late, always as late for one instant. */
            jitter_ms?: number;
            /**
             * @description What becomes of runs that fell into a gap: skip none, once one for all (default), all each.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description How many milliseconds late a run may begin. Absent: 60 000 with skip, a day with all, any with once. */
            missed_window_ms?: number | null;
            /**
             * @description skip leaves a run out while the job of the run before has not ended. Absent: allow.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        /** @description A schedule to be made: one schema for each kind. */
        CreateSchedule: components["schemas"]["CreateSendEmailSchedule"] | components["schemas"]["CreateResizeImageSchedule"] | components["schemas"]["CreateSummarizeTextSchedule"] | components["schemas"]["CreateWebhookDeliverySchedule"];
        CreateSendEmailJob: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "send_email";
            /** @description The version of the kind. Absent: the newest whose schema accepts the payload. */
            version?: number;
            payload: components["schemas"]["SendEmailPayload"];
            /** @description Absent: the kind's own queue. */
            queue?: string;
            /** @description Lower runs first. Absent: the kind's own, mostly 4. */
            priority?: number;
            /**
             * Format: date-time
             * @description The earliest start; a past instant counts as now. Not together with delay_ms.
             */
            run_at?: string;
            /** @description Milliseconds from now to the earliest start. */
            delay_ms?: number;
            /**
             * Format: date-time
             * @description After the earliest start: a job that has not begun by then is cancelled. Not together with expires_in_ms.
             */
            expires_at?: string;
            /** @description Milliseconds from now to the same. */
            expires_in_ms?: number;
            /** @description Absent: the kind's own, mostly 3. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Makes repeating the request safe. The header Idempotency-Key takes precedence over this field. */
            idempotency_key?: string;
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description That it is the only job of its kind and tenant under a key. */
            unique?: {
                /** @description One job of the kind and tenant holds it at a time. */
                key: string;
                /**
                 * @description waiting: held until the first claim. live: until the job has ended. window: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description Milliseconds from the enqueue for which the key is held. With the scope window, and there alone. */
                window_ms?: number;
                /** @description With reschedule: the start moves at most so far from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, which gives the waiting job this payload and these options, and reschedule, which gives it this start.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Whose job it is. Idempotency keys are unique per tenant. */
            tenant_id?: string;
            /** @description Jobs of one key, such as those of one customer, can be limited together. Absent: what the kind's own pointer finds in the payload. */
            key?: string;
            /** @description How many tokens its start costs, of each rate that holds for it; no rate takes more than its burst. Absent: the kind's own, mostly 1. */
            weight?: number;
        };
        CreateSendEmailSchedule: {
            /** @description By which it is read and changed. */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "send_email";
            payload: components["schemas"]["SendEmailPayload"];
            /** @description The version of the kind. Absent: the newest whose schema accepts the payload. */
            version?: number;
            /** @description Absent: the kind's own queue. */
            queue?: string;
            /** @description Lower runs first. Absent: the kind's own. */
            priority?: number;
            /** @description Absent: the kind's own. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Milliseconds from the firing: a job that has not begun by then is cancelled. */
            expires_in_ms?: number;
            /** @description What each of its jobs is the only one of. */
            unique?: {
                /** @description One job of the kind and tenant holds it at a time. */
                key: string;
                /**
                 * @description waiting: held until the first claim. live: until the job has ended. window: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description Milliseconds from the enqueue for which the key is held. With the scope window, and there alone. */
                window_ms?: number;
                /** @description With reschedule: the start moves at most so far from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, which gives the waiting job this payload and these options, and reschedule, which gives it this start.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description The key of its jobs, by which they can be limited. Absent: what the kind's own pointer finds in the payload. */
            key?: string;
            /** @description How many tokens a start of its jobs costs, of each rate. Absent: the kind's own. */
            weight?: number;
            /** @description Five fields, minute hour day-of-month month day-of-week, or six with the second before them. This or every_ms. */
            cron?: string | null;
            /** @description The IANA name of the zone in which the expression counts. Absent: UTC. */
            time_zone?: string;
            /** @description Milliseconds between two runs, counted from starts_at, or else from 1970. This or cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this instant.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at this instant or after it.
             */
            ends_at?: string | null;
            /** @description Each run comes up to so many milliseconds late, always as late for one instant. */
            jitter_ms?: number;
            /**
             * @description What becomes of runs that fell into a gap: skip none, once one for all (default), all each.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description How many milliseconds late a run may begin. Absent: 60 000 with skip, a day with all, any with once. */
            missed_window_ms?: number | null;
            /**
             * @description skip leaves a run out while the job of the run before has not ended. Absent: allow.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        CreateSummarizeTextJob: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "summarize_text";
            /** @description The version of the kind. Absent: the newest whose schema accepts the payload. */
            version?: number;
            payload: components["schemas"]["SummarizeTextPayload"];
            /** @description Absent: the kind's own queue. */
            queue?: string;
            /** @description Lower runs first. Absent: the kind's own, mostly 4. */
            priority?: number;
            /**
             * Format: date-time
             * @description The earliest start; a past instant counts as now. Not together with delay_ms.
             */
            run_at?: string;
            /** @description Milliseconds from now to the earliest start. */
            delay_ms?: number;
            /**
             * Format: date-time
             * @description After the earliest start: a job that has not begun by then is cancelled. Not together with expires_in_ms.
             */
            expires_at?: string;
            /** @description Milliseconds from now to the same. */
            expires_in_ms?: number;
            /** @description Absent: the kind's own, mostly 3. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Makes repeating the request safe. The header Idempotency-Key takes precedence over this field. */
            idempotency_key?: string;
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description That it is the only job of its kind and tenant under a key. */
            unique?: {
                /** @description One job of the kind and tenant holds it at a time. */
                key: string;
                /**
                 * @description waiting: held until the first claim. live: until the job has ended. window: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description Milliseconds from the enqueue for which the key is held. With the scope window, and there alone. */
                window_ms?: number;
                /** @description With reschedule: the start moves at most so far from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, which gives the waiting job this payload and these options, and reschedule, which gives it this start.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Whose job it is. Idempotency keys are unique per tenant. */
            tenant_id?: string;
            /** @description Jobs of one key, such as those of one customer, can be limited together. Absent: what the kind's own pointer finds in the payload. */
            key?: string;
            /** @description How many tokens its start costs, of each rate that holds for it; no rate takes more than its burst. Absent: the kind's own, mostly 1. */
            weight?: number;
        };
        CreateSummarizeTextSchedule: {
            /** @description By which it is read and changed. */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "summarize_text";
            payload: components["schemas"]["SummarizeTextPayload"];
            /** @description The version of the kind. Absent: the newest whose schema accepts the payload. */
            version?: number;
            /** @description Absent: the kind's own queue. */
            queue?: string;
            /** @description Lower runs first. Absent: the kind's own. */
            priority?: number;
            /** @description Absent: the kind's own. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Milliseconds from the firing: a job that has not begun by then is cancelled. */
            expires_in_ms?: number;
            /** @description What each of its jobs is the only one of. */
            unique?: {
                /** @description One job of the kind and tenant holds it at a time. */
                key: string;
                /**
                 * @description waiting: held until the first claim. live: until the job has ended. window: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description Milliseconds from the enqueue for which the key is held. With the scope window, and there alone. */
                window_ms?: number;
                /** @description With reschedule: the start moves at most so far from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, which gives the waiting job this payload and these options, and reschedule, which gives it this start.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description The key of its jobs, by which they can be limited. Absent: what the kind's own pointer finds in the payload. */
            key?: string;
            /** @description How many tokens a start of its jobs costs, of each rate. Absent: the kind's own. */
            weight?: number;
            /** @description Five fields, minute hour day-of-month month day-of-week, or six with the second before them. This or every_ms. */
            cron?: string | null;
            /** @description The IANA name of the zone in which the expression counts. Absent: UTC. */
            time_zone?: string;
            /** @description Milliseconds between two runs, counted from starts_at, or else from 1970. This or cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this instant.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at this instant or after it.
             */
            ends_at?: string | null;
            /** @description Each run comes up to so many milliseconds late, always as late for one instant. */
            jitter_ms?: number;
            /**
             * @description What becomes of runs that fell into a gap: skip none, once one for all (default), all each.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description How many milliseconds late a run may begin. Absent: 60 000 with skip, a day with all, any with once. */
            missed_window_ms?: number | null;
            /**
             * @description skip leaves a run out while the job of the run before has not ended. Absent: allow.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        CreateWebhookDeliveryJob: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "webhook_delivery";
            /** @description The version of the kind. Absent: the newest whose schema accepts the payload. */
            version?: number;
            payload: components["schemas"]["WebhookDeliveryPayload"];
            /** @description Absent: the kind's own queue. */
            queue?: string;
            /** @description Lower runs first. Absent: the kind's own, mostly 4. */
            priority?: number;
            /**
             * Format: date-time
             * @description The earliest start; a past instant counts as now. Not together with delay_ms.
             */
            run_at?: string;
            /** @description Milliseconds from now to the earliest start. */
            delay_ms?: number;
            /**
             * Format: date-time
             * @description After the earliest start: a job that has not begun by then is cancelled. Not together with expires_in_ms.
             */
            expires_at?: string;
            /** @description Milliseconds from now to the same. */
            expires_in_ms?: number;
            /** @description Absent: the kind's own, mostly 3. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Makes repeating the request safe. The header Idempotency-Key takes precedence over this field. */
            idempotency_key?: string;
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description That it is the only job of its kind and tenant under a key. */
            unique?: {
                /** @description One job of the kind and tenant holds it at a time. */
                key: string;
                /**
                 * @description waiting: held until the first claim. live: until the job has ended. window: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description Milliseconds from the enqueue for which the key is held. With the scope window, and there alone. */
                window_ms?: number;
                /** @description With reschedule: the start moves at most so far from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, which gives the waiting job this payload and these options, and reschedule, which gives it this start.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Whose job it is. Idempotency keys are unique per tenant. */
            tenant_id?: string;
            /** @description Jobs of one key, such as those of one customer, can be limited together. Absent: what the kind's own pointer finds in the payload. */
            key?: string;
            /** @description How many tokens its start costs, of each rate that holds for it; no rate takes more than its burst. Absent: the kind's own, mostly 1. */
            weight?: number;
        };
        CreateWebhookDeliverySchedule: {
            /** @description By which it is read and changed. */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "webhook_delivery";
            payload: components["schemas"]["WebhookDeliveryPayload"];
            /** @description The version of the kind. Absent: the newest whose schema accepts the payload. */
            version?: number;
            /** @description Absent: the kind's own queue. */
            queue?: string;
            /** @description Lower runs first. Absent: the kind's own. */
            priority?: number;
            /** @description Absent: the kind's own. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Milliseconds from the firing: a job that has not begun by then is cancelled. */
            expires_in_ms?: number;
            /** @description What each of its jobs is the only one of. */
            unique?: {
                /** @description One job of the kind and tenant holds it at a time. */
                key: string;
                /**
                 * @description waiting: held until the first claim. live: until the job has ended. window: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description Milliseconds from the enqueue for which the key is held. With the scope window, and there alone. */
                window_ms?: number;
                /** @description With reschedule: the start moves at most so far from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, which gives the waiting job this payload and these options, and reschedule, which gives it this start.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description The key of its jobs, by which they can be limited. Absent: what the kind's own pointer finds in the payload. */
            key?: string;
            /** @description How many tokens a start of its jobs costs, of each rate. Absent: the kind's own. */
            weight?: number;
            /** @description Five fields, minute hour day-of-month month day-of-week, or six with the second before them. This or every_ms. */
            cron?: string | null;
            /** @description The IANA name of the zone in which the expression counts. Absent: UTC. */
            time_zone?: string;
            /** @description Milliseconds between two runs, counted from starts_at, or else from 1970. This or cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this instant.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at this instant or after it.
             */
            ends_at?: string | null;
            /** @description Each run comes up to so many milliseconds late, always as late for one instant. */
            jitter_ms?: number;
            /**
             * @description What becomes of runs that fell into a gap: skip none, once one for all (default), all each.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description How many milliseconds late a run may begin. Absent: 60 000 with skip, a day with all, any with once. */
            missed_window_ms?: number | null;
            /**
             * @description skip leaves a run out while the job of the run before has not ended. Absent: allow.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        CreatedJobs: {
            /** @description The jobs, in the order of the request. */
            data: components["schemas"]["Job"][];
            /** @description The positions, from 0, of the jobs whose idempotency key was known. Nothing was written for them. */
            replayed: number[];
            /** @description The positions, from 0, of the jobs whose unique key was held, and what was done to the job that holds it. */
            conflicts: {
                index: number;
                /** @enum {string} */
                outcome: "returned" | "replaced" | "rescheduled";
            }[];
        };
        /** @description A job that has used up its attempts, or failed for good, with everything that shows why. */
        DeadLetter: {
            /**
             * Format: uuid
             * @description The id of the dead letter; not that of its job.
             */
            id: string;
            /**
             * Format: uuid
             * @description The job that failed.
             */
            job_id: string;
            queue: string;
            kind: string;
            /** @description The version of its kind that its payload is of. */
            kind_version: number;
            tenant_id: string | null;
            /** @description Masked as the payload is. */
            key: string | null;
            /** @description How many tokens a start of its job costs. */
            weight: number;
            /** @description The input of its handler, as it was sent. Without the permission payload:read, `***` stands for each value that its kind calls sensitive, or for all of it. */
            payload: unknown;
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata: {
                [key: string]: string | number | boolean;
            } | null;
            priority: number;
            /** @description Attempts that it was charged. */
            attempts: number;
            max_attempts: number;
            /** @description Attempts that ended because their worker was lost. */
            crashes: number;
            /** @description Why the last attempt failed. */
            last_error: string | null;
            idempotency_key: string | null;
            /** @description The ended attempts, oldest first, the one that dead-lettered the job included. */
            execution_history: components["schemas"]["Execution"][];
            /**
             * Format: date-time
             * @description When the job was enqueued.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the job failed for good.
             */
            dead_lettered_at: string;
            /** @description The cause of its last failure; null where its worker was lost. */
            fingerprint: string | null;
        };
        DeadLetterList: {
            data: components["schemas"]["DeadLetter"][];
            /** @description What to send as cursor for the next page; null at the end. */
            next_cursor: string | null;
        };
        DeleteJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * @description Change nothing: count the jobs, up to 100000, and name a few.
             * @default false
             */
            dry_run?: boolean;
            /** @description Jobs a second, at most. With it, it is an operation, however few there are. */
            rate?: number;
        };
        /** @description What doctor finds wrong with the schema, the server and the queue. */
        Diagnosis: {
            /** @description The PostgreSQL schema of the queue. */
            schema: string;
            /**
             * @description The worst of the findings; what could not be checked counts as ok.
             * @enum {string}
             */
            status: "ok" | "warning" | "failure";
            /**
             * Format: date-time
             * @description When the checks began, by the clock of the API.
             */
            checked_at: string;
            findings: components["schemas"]["Finding"][];
        };
        /** @description What changes; what is absent stays. */
        EditJob: {
            /** @description Lower runs first. */
            priority?: number;
            /**
             * Format: date-time
             * @description The earliest start; a past instant counts as now.
             */
            run_at?: string;
            /** @description How many attempts it may have: more than it has had. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take; null: what its kind or the worker says. */
            timeout_ms?: number | null;
            /** @description How many tokens its start costs, of each rate. */
            weight?: number;
            /** @description Other metadata in the place of all that it has; null: none. */
            metadata?: {
                [key: string]: string | number | boolean;
            } | null;
            /** @description Another input for its handler, checked by its kind. */
            payload?: unknown;
            /** @description The version of its kind that the payload is of. Absent: the newest that accepts it. */
            version?: number;
        };
        EditedJob: {
            job: components["schemas"]["Job"];
            /** @description What was there before, of each member that was given. */
            previous: {
                priority?: number;
                /** Format: date-time */
                run_at?: string;
                max_attempts?: number;
                timeout_ms?: number | null;
                weight?: number;
                metadata?: {
                    [key: string]: string | number | boolean;
                } | null;
                payload?: unknown;
                kind_version?: number;
            };
        };
        EraseJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * @description Change nothing: count the jobs, up to 100000, and name a few.
             * @default false
             */
            dry_run?: boolean;
            /** @description Jobs a second, at most. With it, it is an operation, however few there are. */
            rate?: number;
        };
        /** @description Failures of one cause, in one queue and of one tenant. */
        ErrorGroup: {
            /** @description What is the same of failures of one cause. */
            fingerprint: string;
            tenant_id: string | null;
            queue: string;
            kind: string;
            /** @description The class of the error, and its code where it has one. */
            error_class: string;
            /** @description Attempts that failed so. */
            count: number;
            /** Format: date-time */
            first_seen_at: string;
            /** Format: date-time */
            last_seen_at: string;
            /** @description The version of the worker that saw it first; null where that was forgotten by then. */
            first_version: string | null;
            /** @description The versions of the workers that saw it, the latest first, at most 10. */
            worker_versions: string[];
            /**
             * Format: uuid
             * @description A job that failed so; it may have been pruned.
             */
            sample_job_id: string;
            /** @description The error of that job, with its stack. Without the permission payload:read, `***` stands for what its kind calls sensitive, and for all of it once the job is gone. */
            sample_error: string;
            /** @description Its failures in the time that was asked for; null where none was. */
            in_range: {
                /** @description Attempts that failed so in that time. */
                count: number;
                /** @description How many of them are of each step, the oldest first. */
                trend: number[];
                /** @description Of the attempts of its kind and queue that ended in that time: of a group with a tenant of those of this tenant, else of all. Null where the numbers do not keep the kind apart, or have none yet. */
                share: number | null;
                /** @description By version: each, the one that saw most first. Else none. */
                versions: components["schemas"]["ErrorTrendOfVersion"][];
            } | null;
        };
        ErrorList: {
            data: components["schemas"]["ErrorGroup"][];
            /** @description The time of which failures were counted; null where none was asked for. */
            range: {
                /**
                 * Format: date-time
                 * @description When the first point of each trend begins, in whole hours: no earlier than hours are kept.
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description Where it ends. Of the hour that it is in all failures count.
                 */
                to: string;
                /** @description How long each point of a trend is: 1, 2, 3, 4, 6, 12 or 24 hours, so that there are at most 48. */
                step_ms: number;
            } | null;
            /** @description What to send as cursor for the next page; null at the end. */
            next_cursor: string | null;
        };
        /** @description Failures that workers of one version saw. */
        ErrorTrendOfVersion: {
            /** @description Null: of the versions beyond the 10 that saw most, and of workers that were forgotten. */
            version: string | null;
            /** @description Attempts that failed so in that time. */
            count: number;
            /** @description How many of them are of each step, the oldest first. */
            trend: number[];
        };
        /** @description One ended attempt of a job. */
        Execution: {
            /** Format: uuid */
            job_id: string;
            /** @description Counts from 1, and anew after a requeue. */
            attempt: number;
            /** @description Grows with every claim of the job, requeues included. */
            lease_token: number;
            /** @description The worker that ran it. */
            worker_id: string;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            finished_at: string;
            /** @enum {string} */
            outcome: "succeeded" | "failed" | "lost" | "snoozed" | "released" | "cancelled";
            /** @description Why it failed. */
            error: string | null;
            /** @description The class of the error that it failed with, and its code where it has one. */
            error_class: string | null;
            /** @description The same for failures of one cause: see GET /errors. */
            fingerprint: string | null;
        };
        ExecutionList: {
            data: components["schemas"]["Execution"][];
        };
        /** @description When a waiting job will begin, as far as the last minutes tell. */
        ExpectedStart: {
            /** @description How many waiting jobs of its queue come before it; null where that is not known. */
            place: number | null;
            /** @description How many attempts of its queue have begun in a minute in which jobs had to wait; null: none such. */
            starts_per_minute: number | null;
            /**
             * Format: date-time
             * @description Null where nobody can say.
             */
            expected_at: string | null;
            /**
             * @description Why nobody can say. not_waiting: it runs, or has ended. out_of_bounds: jobs beyond the bounds of the key may come before it. no_worker: none serves its queue. too_many_before: more than are counted. no_rate: no job of its queue had to wait in the last minutes.
             * @enum {string|null}
             */
            unknown: "not_waiting" | "out_of_bounds" | "queue_paused" | "no_worker" | "too_many_before" | "no_rate" | null;
        };
        /** @description What a check of doctor has found. */
        Finding: {
            /** @description Its name, as docs/doctor.md has it. Checks may be added. */
            check: string;
            /**
             * @description failure: a promise of the queue does not hold, or soon will not. warning: somebody should know. not_permitted: the database role of the API may not read what the check asks for. skipped: there was nothing to check, or no answer in time.
             * @enum {string}
             */
            status: "ok" | "warning" | "failure" | "not_permitted" | "skipped";
            /** @description One sentence for people; its wording may change. */
            message: string;
            /** @description What to do; null where there is nothing to do. */
            cure: string | null;
        };
        Health: {
            /** @enum {string} */
            status: "ready";
            checks: components["schemas"]["Checks"];
            /** @description Since the process started. */
            uptime_seconds: number;
        };
        /** @description One job. All instants are in UTC, by the clock of the database. */
        Job: {
            /**
             * Format: uuid
             * @description A UUIDv7: the order of ids is the order of creation.
             */
            id: string;
            /** @description The queue it waits in. */
            queue: string;
            /** @description What kind of job it is. */
            kind: string;
            /** @description The version of its kind that its payload is of. */
            kind_version: number;
            /** @description Whose it is; null without tenants. */
            tenant_id: string | null;
            /** @description Jobs of one key can be limited together; null: it has none. Masked as the payload is. */
            key: string | null;
            /** @description How many tokens its start costs, of each rate. */
            weight: number;
            /** @description The input of its handler, as it was sent. Without the permission payload:read, `***` stands for each value that its kind calls sensitive, or for all of it. */
            payload: unknown;
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata: {
                [key: string]: string | number | boolean;
            } | null;
            status: components["schemas"]["JobStatus"];
            /** @description Lower runs first. */
            priority: number;
            /** @description Attempts begun so far. */
            attempts: number;
            /** @description How many attempts it may have. */
            max_attempts: number;
            /** @description Milliseconds that one attempt may take; null: the kind's or the worker's default. */
            timeout_ms: number | null;
            retry_policy: components["schemas"]["JobRetryPolicy"];
            /** @description Attempts that ended because their worker was lost. */
            crashes: number;
            /** @description Why the last failed attempt failed; kept after a success. */
            last_error: string | null;
            /** @description What its handler returned. Without the permission payload:read, `***` stands for what is sensitive. */
            result: unknown;
            /** @description Percent, as the handler last reported it. */
            progress: number | null;
            progress_message: string | null;
            /**
             * Format: date-time
             * @description The earliest start of the next attempt.
             */
            run_at: string;
            /**
             * Format: date-time
             * @description When it is cancelled if it has not begun by then; null: never, or no longer.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the running attempt was claimed.
             */
            locked_at: string | null;
            /** @description The worker that runs it now. */
            locked_by: string | null;
            cancel_requested: boolean;
            /**
             * @description Why the queue itself has cancelled it; null where somebody has.
             * @enum {string|null}
             */
            cancel_reason: "expired" | null;
            idempotency_key: string | null;
            /** @description The key under which it is the only job of its kind and tenant, or was. */
            unique_key: string | null;
            /**
             * @description For how long; null without a key.
             * @enum {string|null}
             */
            unique_scope: "waiting" | "live" | "window" | null;
            /** @description The traceparent (W3C) of the request that made it. */
            trace_context: string | null;
            /**
             * Format: date-time
             * @description When it was enqueued.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When the retention removed its payload, metadata, result, errors and history; null: everything is there. What is left is a receipt, by which its idempotency key is still known. It cannot be requeued or duplicated.
             */
            stripped_at: string | null;
            /**
             * Format: date-time
             * @description When it reached a final state.
             */
            finished_at: string | null;
        };
        /** @description Which jobs: all conditions hold at once, and none means all. */
        JobFilter: {
            status?: components["schemas"]["JobStatus"];
            /** @description The kind. */
            kind?: string;
            /** @description The queue. */
            queue?: string;
            /** @description The tenant. */
            tenant?: string;
            /** @description Jobs with this key. It is a part of the payload: this needs the permission payload:read. */
            key?: string;
            /** @description Jobs that have these members in their metadata. Texts are compared: a number is found by its digits. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description Jobs created at this instant or later.
             */
            created_after?: string;
            /**
             * Format: date-time
             * @description Jobs created before this instant.
             */
            created_before?: string;
            /**
             * Format: date-time
             * @description Jobs that ended at this instant or later.
             */
            finished_after?: string;
            /**
             * Format: date-time
             * @description Jobs that ended before this instant.
             */
            finished_before?: string;
            /** @description Jobs of which an attempt failed with this cause, or with one of these, as `GET /errors` names it. */
            fingerprint?: string | string[];
            /** @description Runs of the schedule with this name. */
            schedule?: string;
            /** @description Jobs that run in the worker with this id now. */
            worker?: string;
            /** @description Jobs that run in workers of this version now. Not with a key that has bounds. */
            worker_version?: string;
        };
        /** @description A link that reads one job. */
        JobLink: {
            /** @description Where the job can be read, below the address of this API. */
            path: string;
            /**
             * Format: date-time
             * @description Until when.
             */
            expires_at: string;
        };
        JobList: {
            data: components["schemas"]["Job"][];
            /** @description What to send as cursor for the next page; null at the end. */
            next_cursor: string | null;
            /** @description How far it has looked, where it has read as many rows as it may; null where it has looked at all. */
            scanned: {
                /** @description How many rows it has read. */
                rows: number;
                /**
                 * Format: date-time
                 * @description When the oldest of them was created.
                 */
                back_to: string;
            } | null;
        };
        /** @description How the job waits between its attempts; null: as its kind's or the worker's policy says. */
        JobRetryPolicy: {
            /** @enum {string} */
            type: "decorrelated";
            /** @default 1000 */
            base_ms?: number;
            /** @default 60000 */
            cap_ms?: number;
        } | {
            /** @enum {string} */
            type: "exponential";
            /**
             * @default full
             * @enum {string}
             */
            jitter?: "full" | "none" | "proportional";
            base_ms?: number;
            /** @default 300000 */
            cap_ms?: number;
        } | {
            /** @enum {string} */
            type: "fixed";
            base_ms: number;
        } | null;
        /** @description What changes of a job while it runs. */
        JobStateSummary: {
            /** Format: uuid */
            id: string;
            status: components["schemas"]["JobStatus"];
            /** @description Attempts begun so far. */
            attempts: number;
            /** @description How many attempts it may have. */
            max_attempts: number;
            cancel_requested: boolean;
            /** @description Percent, as the handler last reported it. */
            progress: number | null;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
        };
        JobStateSummaryList: {
            data: components["schemas"]["JobStateSummary"][];
        };
        JobStatesOf: {
            /** @description The jobs. */
            ids: string[];
        };
        /**
         * @description The state of a job; succeeded, failed_permanent and cancelled are final.
         * @enum {string}
         */
        JobStatus: "queued" | "running" | "succeeded" | "retrying" | "failed_permanent" | "cancelled";
        /** @description A key of the API. */
        Key: {
            /** @description The part of the key that is not secret. */
            id: string;
            /** @description The name that it was made with: whose it is. */
            name: string;
            /**
             * @description The bundle of permissions that it has.
             * @enum {string}
             */
            role: "enqueue" | "read" | "operate" | "admin";
            /** @description Its permissions beyond those of its role. */
            permissions: ("jobs:enqueue" | "jobs:read" | "jobs:control" | "jobs:edit" | "jobs:delete" | "payload:read" | "dead_letters:read" | "dead_letters:requeue" | "dead_letters:delete" | "queues:control" | "limits:write" | "schedules:read" | "schedules:control" | "schedules:write" | "ops:read" | "kinds:read" | "kinds:write" | "keys:read" | "keys:revoke" | "audit:read")[];
            /** @description null: the rate that the API gives to every key. */
            rate: {
                /** @description So many requests … */
                count: number;
                /** @description … in so many seconds, over all processes of the API, … */
                per_seconds: number;
                /** @description … and so many at once, after a pause. */
                burst: number;
            } | null;
            /** @description The tenant that it is bound to; null: it is bound to none, and sees all. */
            tenant_id: string | null;
            /** @description The queues that it is bound to. */
            queues: string[] | null;
            /** @description The kinds of job that it is bound to. */
            kinds: string[] | null;
            /** @description The key that it was made to replace. */
            replaces: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires; null: never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was last used, to the hour.
             */
            last_used_at: string | null;
            /** Format: date-time */
            revoked_at: string | null;
        };
        KeyList: {
            data: components["schemas"]["Key"][];
        };
        /** @description A kind of job, with its versions. */
        Kind: {
            kind: string;
            /** @description The newest first. */
            versions: {
                version: number;
                /**
                 * @description built_in: the API was started with it. registered: by a worker, a command, or POST /kinds.
                 * @enum {string}
                 */
                source: "built_in" | "registered";
                /** @description JSON Schema 2020-12. References begin with #. */
                payload_schema: {
                    [key: string]: unknown;
                };
                defaults: components["schemas"]["KindDefaults"];
                description: string | null;
                /** @description JSON pointers; null: everything. */
                sensitive: string[] | null;
                /** @description How many live workers run it. */
                live_workers: number;
                registered_by: string | null;
                /** Format: date-time */
                registered_at: string | null;
                /**
                 * Format: date-time
                 * @description When it was last registered; to the hour.
                 */
                last_seen_at: string | null;
                /**
                 * Format: date-time
                 * @description Since when no further jobs of it are taken.
                 */
                retired_at: string | null;
            }[];
        };
        /** @description What its jobs take where they say nothing themselves. */
        KindDefaults: {
            queue?: string;
            priority?: number;
            max_attempts?: number;
            timeout_ms?: number;
            retry_policy?: {
                /** @enum {string} */
                type: "decorrelated";
                /** @default 1000 */
                base_ms?: number;
                /** @default 60000 */
                cap_ms?: number;
            } | {
                /** @enum {string} */
                type: "exponential";
                /**
                 * @default full
                 * @enum {string}
                 */
                jitter?: "full" | "none" | "proportional";
                base_ms?: number;
                /** @default 300000 */
                cap_ms?: number;
            } | {
                /** @enum {string} */
                type: "fixed";
                base_ms: number;
            };
            key?: string;
            weight?: number;
        };
        KindList: {
            data: components["schemas"]["KindSummary"][];
        };
        KindSummary: {
            kind: string;
            /** @description Of the newest version. */
            description: string | null;
            /** @description The newest first. */
            versions: number[];
            /**
             * @description built_in: the API was started with it. registered: by a worker, a command, or POST /kinds.
             * @enum {string}
             */
            source: "built_in" | "registered";
            /**
             * Format: date-time
             * @description Since when no further jobs of it are taken.
             */
            retired_at: string | null;
        };
        /** @description A limit. All that apply to a job hold for it. */
        Limit: {
            /** @description The queue. */
            queue: string;
            /**
             * @description What it is about: all of the queue, a kind in it, one key in it, each key in it that has no limit of its own, or a tenant in it.
             * @enum {string}
             */
            scope: "queue" | "kind" | "key" | "each_key" | "tenant";
            /** @description Of the kind, the key or the tenant; null for the others. */
            name: string | null;
            max_running: number | null;
            /** @description Where so many of its jobs wait, enqueues are refused with queue_full. Counted each second. Only for queue and tenant. */
            max_waiting: number | null;
            rate: components["schemas"]["LimitRate"];
            /** @description The jobs of each key start one after the other, by priority, run_at and id. Only for each_key. */
            ordered: {
                /**
                 * @description What jobs behind one that is retried do: block until it has ended, which is the default, or continue.
                 * @enum {string}
                 */
                on_retry: "block" | "continue";
            } | null;
            /**
             * @description Tenants, or keys, take turns to start their jobs of one priority, however many wait of each. Only for queue.
             * @enum {string|null}
             */
            fair_by: "tenant" | "key" | null;
            /** @description How many turns the tenant or key has for each of the others; null: one. Only for tenant and key. */
            weight: number | null;
            /**
             * Format: date-time
             * @description Since when none of its jobs may start; null while they may.
             */
            paused_at: string | null;
            /**
             * Format: date-time
             * @description When it was first set.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last set.
             */
            updated_at: string;
        };
        /** @description A limit with how far it is used. */
        LimitInUse: {
            /** @description The queue. */
            queue: string;
            /**
             * @description What it is about: all of the queue, a kind in it, one key in it, each key in it that has no limit of its own, or a tenant in it.
             * @enum {string}
             */
            scope: "queue" | "kind" | "key" | "each_key" | "tenant";
            /** @description Of the kind, the key or the tenant; null for the others. */
            name: string | null;
            max_running: number | null;
            /** @description Where so many of its jobs wait, enqueues are refused with queue_full. Counted each second. Only for queue and tenant. */
            max_waiting: number | null;
            rate: components["schemas"]["LimitRate"];
            /** @description The jobs of each key start one after the other, by priority, run_at and id. Only for each_key. */
            ordered: {
                /**
                 * @description What jobs behind one that is retried do: block until it has ended, which is the default, or continue.
                 * @enum {string}
                 */
                on_retry: "block" | "continue";
            } | null;
            /**
             * @description Tenants, or keys, take turns to start their jobs of one priority, however many wait of each. Only for queue.
             * @enum {string|null}
             */
            fair_by: "tenant" | "key" | null;
            /** @description How many turns the tenant or key has for each of the others; null: one. Only for tenant and key. */
            weight: number | null;
            /**
             * Format: date-time
             * @description Since when none of its jobs may start; null while they may.
             */
            paused_at: string | null;
            /**
             * Format: date-time
             * @description When it was first set.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last set.
             */
            updated_at: string;
            /** @description How many of its jobs run, by the counter that claims go by; of a key that several tenants have, those of the tenant with the most. Null where it does not bound them, and for each_key: the keys of the queue have that of each. */
            running: number | null;
        };
        LimitList: {
            data: components["schemas"]["LimitInUse"][];
            /** @description What to send as cursor for the next page; null at the end. */
            next_cursor: string | null;
        };
        /** @description A token bucket: at most burst + t × count / per_ms jobs start in any t milliseconds. */
        LimitRate: {
            /** @description So many jobs may start … */
            count: number;
            /** @description … in so many milliseconds, … */
            per_ms: number;
            /** @description … and so many at once, after a pause. */
            burst: number;
        } | null;
        Liveness: {
            /** @enum {string} */
            status: "alive";
        };
        /** @description A line that the handler of a job has logged. */
        LogLine: {
            /** Format: uuid */
            job_id: string;
            /** @description Counts from 1, and anew after a requeue. */
            attempt: number;
            /** @description Grows with every claim of the job, requeues included. */
            lease_token: number;
            /** @description Its place among the lines of the attempt, from 1. */
            line: number;
            /**
             * Format: date-time
             * @description By the clock of the worker.
             */
            at: string;
            /** @enum {string} */
            level: "debug" | "info" | "warn" | "error";
            message: string;
            /** @description What the handler gave with the message: an object, or null. Without the permission payload:read, `***` stands in it and in the message for what its kind calls sensitive. */
            fields: unknown;
        };
        LogList: {
            data: components["schemas"]["LogLine"][];
            /** @description What to send as cursor for the next page; null at the end. */
            next_cursor: string | null;
        };
        /** @description Who asks, and what they may do. */
        Me: {
            /**
             * @description key: an API key. subject: whom a token of the issuer names. token: whoever has API_TOKEN. anyone: a caller of an API that asks for no credentials.
             * @enum {string}
             */
            type: "key" | "subject" | "token" | "anyone";
            /** @description The part of the key that is not secret. */
            key_id: string | null;
            /** @description What the key or the subject is called. */
            name: string | null;
            /** @description All that the caller may do. */
            permissions: ("jobs:enqueue" | "jobs:read" | "jobs:control" | "jobs:edit" | "jobs:delete" | "payload:read" | "dead_letters:read" | "dead_letters:requeue" | "dead_letters:delete" | "queues:control" | "limits:write" | "schedules:read" | "schedules:control" | "schedules:write" | "ops:read" | "kinds:read" | "kinds:write" | "keys:read" | "keys:revoke" | "audit:read")[];
            /** @description The tenant that the caller is bound to. */
            tenant_id: string | null;
            /** @description The queues that it is bound to. */
            queues: string[] | null;
            /** @description The kinds of job that it is bound to. */
            kinds: string[] | null;
            /** @description null: no limit. */
            rate: {
                /** @description So many requests … */
                count: number;
                /** @description … in so many seconds, over all processes of the API, … */
                per_seconds: number;
                /** @description … and so many at once, after a pause. */
                burst: number;
            } | null;
        };
        /** @description An act on many jobs, which workers carry out in batches. */
        Operation: {
            /**
             * Format: uuid
             * @description A UUIDv7: the order of ids is the order of creation.
             */
            id: string;
            /**
             * @description What is done with each job.
             * @enum {string}
             */
            act: "cancel" | "requeue" | "reschedule" | "delete" | "purge" | "erase" | "requeue_dead_letters";
            /** @description Which jobs. Without the permission payload:read, `***` stands for a key. */
            filter: unknown;
            /**
             * Format: date-time
             * @description The earliest start that a reschedule sets.
             */
            run_at: string | null;
            /** @description Jobs a second, at most; null: as fast as it goes. */
            rate: number | null;
            /**
             * @description refused: whoever asked may no longer do it. failed: the database refuses a change. Both have a reason.
             * @enum {string}
             */
            state: "running" | "succeeded" | "cancelled" | "refused" | "failed";
            /** @description How many jobs its filter found when it was made. */
            expected: number;
            /** @description Whether there may have been more than were counted. */
            expected_is_least: boolean;
            /** @description Jobs that it has changed. */
            changed: number;
            /** @description Jobs that it found, and that were no longer such when it came to change them. */
            skipped: number;
            /** @description Why it ended otherwise than it should. */
            reason: string | null;
            /** @description The key or the role that asked for it. */
            actor: string | null;
            /** @description What the key is called. */
            actor_name: string | null;
            /**
             * Format: date-time
             * @description When it was asked for.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ended; null while it runs.
             */
            finished_at: string | null;
        };
        OperationList: {
            data: components["schemas"]["Operation"][];
            /** @description What to send as cursor for the next page; null at the end. */
            next_cursor: string | null;
        };
        PreviousStart: {
            /**
             * Format: uuid
             * @description The job.
             */
            id: string;
            /**
             * Format: date-time
             * @description When it could start before, to the millisecond.
             */
            run_at: string;
            /**
             * Format: date-time
             * @description When it was moved: a job that was changed later is not put back.
             */
            changed_at: string;
        };
        /** @description What went wrong (RFC 9457). */
        Problem: {
            /** @description Identifies the kind of problem: urn:queue:problem:<error>. */
            type: string;
            /** @description The same for every problem of the kind. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What is wrong with this request. */
            detail: string;
            /** @description The path that was asked for. */
            instance: string;
            /**
             * @description The kind of problem, for programs.
             * @enum {string}
             */
            error: "invalid_job" | "invalid_options" | "invalid_cursor" | "unknown_kind" | "invalid_kind" | "kind_conflict" | "kind_not_found" | "invalid_transition" | "refused" | "job_not_found" | "dead_letter_not_found" | "operation_not_found" | "job_changed" | "queue_not_found" | "limit_not_found" | "invalid_limit" | "out_of_scope" | "key_not_found" | "invalid_schedule" | "schedule_not_found" | "schedule_exists" | "schedule_overlaps" | "idempotency_mismatch" | "idempotency_key_locked" | "unique_conflict" | "unique_key_locked" | "queue_full" | "overloaded" | "database_unavailable" | "schema_mismatch" | "migration_failed" | "bad_request" | "unparsable_body" | "invalid_query" | "invalid_header" | "invalid_body" | "unauthorized" | "forbidden" | "foreign_origin" | "not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" | "body_too_large" | "unsupported_media_type" | "foreign_host" | "rate_limited" | "too_many_streams" | "too_many_waits" | "too_many_bytes" | "too_many_link_reads" | "too_many_unknown_keys" | "precondition_required" | "headers_too_large" | "internal" | "issuer_unavailable" | "not_ready" | "timeout";
            /** @description The same as detail. */
            message: string;
            /** @description Everything that is wrong with the input, where that is the problem. */
            issues?: {
                /** @description A JSON pointer into the body, or the name of a query parameter or header after a slash. */
                path: string;
                message: string;
            }[];
            /**
             * @description The permission that the caller lacks, where that is the problem.
             * @enum {string}
             */
            permission?: "jobs:enqueue" | "jobs:read" | "jobs:control" | "jobs:edit" | "jobs:delete" | "payload:read" | "dead_letters:read" | "dead_letters:requeue" | "dead_letters:delete" | "queues:control" | "limits:write" | "schedules:read" | "schedules:control" | "schedules:write" | "ops:read" | "kinds:read" | "kinds:write" | "keys:read" | "keys:revoke" | "audit:read";
            /** @description Those of which the request has to name one, where that is the problem. */
            tenants?: string[];
            job_status?: components["schemas"]["JobStatus"];
            checks?: components["schemas"]["Checks"];
        };
        PurgeQueue: {
            /**
             * @description Change nothing: count the jobs, up to 100000, and name a few.
             * @default false
             */
            dry_run?: boolean;
            /** @description Jobs a second, at most. With it, it is an operation, however few there are. */
            rate?: number;
        };
        /** @description A queue with what lives in it. */
        Queue: {
            name: string;
            /**
             * Format: date-time
             * @description Since when; null while the queue is open.
             */
            paused_at: string | null;
            /** @description Its live jobs by state. Ended jobs are not counted. */
            depth: {
                queued: number;
                retrying: number;
                running: number;
            };
            /** @description Waiting jobs that are due: they wait for a slot, a limit or a worker. */
            ready: number;
            /** @description Of these, those that became due within the last five minutes. */
            newly_ready: number;
            /** @description Seconds since the oldest waiting job became due; null when none is. */
            oldest_ready_seconds: number | null;
            /** @description Live workers that serve the queue. */
            workers: number;
        };
        /** @description The jobs of one key in a queue, with what limits them. */
        QueueKey: {
            /** @description Null without payload:read, as a key may be part of one. */
            key: string | null;
            /** @description Whose jobs these are; null: of jobs without a tenant. The same key of another tenant is another one. */
            tenant_id: string | null;
            waiting: number;
            /** @description Whether more may wait: where a queue has many, each key is counted to 1000 alone. */
            waiting_is_least: boolean;
            /** @description How many wait by a sample; null where waiting says it, or nobody can. */
            waiting_estimate: number | null;
            running: number;
            /** @description Seconds since its oldest waiting job became due; null when none is. Where more may wait, the oldest may be older. */
            oldest_ready_seconds: number | null;
            /**
             * @description Whether limits of the key let a job of it start. Those of its queue and kinds are not among them.
             * @enum {string}
             */
            state: "open" | "paused" | "full" | "rate_spent";
            /**
             * Format: date-time
             * @description Since when a limit pauses it; null: none does.
             */
            paused_at: string | null;
            /** @description How many of its jobs may run at a time; null: any number. */
            max_running: number | null;
            /**
             * Format: date-time
             * @description When its rate lets another job start; null where that is now.
             */
            rate_opens_at: string | null;
            /** @description Whether its jobs start one after the other. */
            is_ordered: boolean;
            /** @description Whether there is a limit of this key by name. */
            has_limit: boolean;
        };
        QueueKeyList: {
            data: components["schemas"]["QueueKey"][];
            /** @description Whether all jobs with a key that wait were counted. Else a key with few jobs may be missing. */
            is_complete: boolean;
        };
        QueueList: {
            data: components["schemas"]["Queue"][];
            /** @description What to send as cursor for the next page; null at the end. */
            next_cursor: string | null;
        };
        /** @description Whether a queue may be claimed from. */
        QueueState: {
            name: string;
            /**
             * Format: date-time
             * @description Since when; null while the queue is open.
             */
            paused_at: string | null;
        };
        Readiness: {
            /** @enum {string} */
            status: "ready";
            checks: components["schemas"]["Checks"];
        };
        RegisterKind: {
            /** @description The name of the kind. */
            kind: string;
            /** @description Absent: 1. */
            version?: number;
            /** @description JSON Schema 2020-12. References begin with #. */
            payload_schema: {
                [key: string]: unknown;
            };
            defaults?: components["schemas"]["KindDefaults"];
            /** @description What its jobs are for. */
            description?: string;
            /** @description JSON pointers to what of the payload is hidden from callers without payload:read; `*` stands for each element. Absent: all of it. */
            sensitive?: string[];
        };
        RegisterKinds: {
            /** @description The versions of kinds. */
            kinds: components["schemas"]["RegisterKind"][];
            /** @description true: what was replaced or retired before comes back too. A process that may be an old release must not say so. */
            restore?: boolean;
        };
        RegisteredKinds: {
            data: {
                kind: string;
                version: number;
                /**
                 * @description kept: something newer had replaced it before, and the registry stays as it was.
                 * @enum {string}
                 */
                outcome: "new" | "unchanged" | "replaced" | "kept";
                /** @description JSON pointers to where the schemas differ, at most 20. */
                changed_paths: string[];
            }[];
        };
        RequeueDeadLetters: {
            /** @description The kind. */
            kind?: string;
            /** @description The queue. */
            queue?: string;
            /** @description The cause of the last failure, or one of these: see GET /errors. */
            fingerprint?: string | string[];
            /** @description The tenant. */
            tenant?: string;
            /**
             * Format: date-time
             * @description Dead letters made at this instant or later.
             */
            dead_lettered_after?: string;
            /**
             * Format: date-time
             * @description Dead letters made before this instant.
             */
            dead_lettered_before?: string;
            /**
             * @description Change nothing: count the jobs, up to 100000, and name a few.
             * @default false
             */
            dry_run?: boolean;
            /** @description Jobs a second, at most. With it, it is an operation, however few there are. */
            rate?: number;
        };
        RequeueJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * @description Change nothing: count the jobs, up to 100000, and name a few.
             * @default false
             */
            dry_run?: boolean;
            /** @description Jobs a second, at most. With it, it is an operation, however few there are. */
            rate?: number;
        };
        RescheduleJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * Format: date-time
             * @description The earliest start of all of them.
             */
            run_at: string;
            /**
             * @description Change nothing: count the jobs, up to 100000, and name a few.
             * @default false
             */
            dry_run?: boolean;
            /** @description Jobs a second, at most. With it, it is an operation, however few there are. */
            rate?: number;
        };
        ResizeImagePayload: {
            /** Format: uri */
            source_url: string;
            width: number;
            height: number;
            /** @enum {string} */
            format?: "jpeg" | "png" | "webp" | "avif";
        };
        /** @description How long a job waits between its attempts. Absent members take the defaults of the policy. */
        RetryPolicy: {
            /** @enum {string} */
            type: "decorrelated";
            /** @default 1000 */
            base_ms?: number;
            /** @default 60000 */
            cap_ms?: number;
        } | {
            /** @enum {string} */
            type: "exponential";
            /**
             * @default full
             * @enum {string}
             */
            jitter?: "full" | "none" | "proportional";
            base_ms?: number;
            /** @default 300000 */
            cap_ms?: number;
        } | {
            /** @enum {string} */
            type: "fixed";
            base_ms: number;
        };
        /** @description A job that is enqueued again and again. */
        Schedule: {
            name: string;
            /** @description Who keeps it in step by sync; empty: nobody does. */
            source: string;
            /** @description That of the sync that wrote it. */
            revision: number;
            kind: string;
            /** @description The version of its kind that its payload is of. */
            kind_version: number;
            /** @description The payload of its jobs; without the permission payload:read, `***` stands for what is sensitive. */
            payload: unknown;
            queue: string;
            priority: number;
            max_attempts: number;
            timeout_ms: number | null;
            retry_policy: components["schemas"]["JobRetryPolicy"];
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata: {
                [key: string]: string | number | boolean;
            } | null;
            expires_in_ms: number | null;
            unique: components["schemas"]["ScheduleUnique"];
            /** @description Jobs of one key can be limited together; null: it has none. Masked as the payload is. */
            key: string | null;
            /** @description How many tokens its start costs, of each rate. */
            weight: number;
            /** @description When it fires, in words. */
            description: string;
            cron: string | null;
            time_zone: string;
            every_ms: number | null;
            /**
             * Format: date-time
             * @description No run before this instant.
             */
            starts_at: string | null;
            /**
             * Format: date-time
             * @description No run at this instant or after it.
             */
            ends_at: string | null;
            jitter_ms: number;
            /** @enum {string} */
            missed: "skip" | "once" | "all";
            missed_window_ms: number | null;
            /** @enum {string} */
            overlap: "allow" | "skip";
            /**
             * Format: date-time
             * @description Since when; null while it fires.
             */
            paused_at: string | null;
            /** @description Why it has paused itself; null where somebody has paused it. */
            paused_reason: string | null;
            /**
             * Format: date-time
             * @description The instant of the next run; null when there is none any more.
             */
            next_run_at: string | null;
            /**
             * Format: date-time
             * @description The last instant that got a job.
             */
            last_run_at: string | null;
            /**
             * Format: uuid
             * @description Its last job.
             */
            last_job_id: string | null;
            /** @description Instants that got a job. */
            fired_count: number;
            /** @description Instants that `missed` has dropped. */
            missed_count: number;
            /** @description Instants that `overlap` has dropped. */
            skipped_count: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When somebody last changed it.
             */
            updated_at: string;
        };
        ScheduleList: {
            data: components["schemas"]["Schedule"][];
            /** @description What to send as cursor for the next page; null at the end. */
            next_cursor: string | null;
        };
        /** @description When a schedule fires from now on. */
        SchedulePreview: {
            /** @description When it fires, in words. */
            description: string;
            /** @description The next instants, without jitter. */
            instants: string[];
        };
        /** @description What a sync has done, by the names of schedules. */
        ScheduleSyncReport: {
            /**
             * @description outdated: a later revision was there before, and nothing was changed.
             * @enum {string}
             */
            outcome: "synced" | "outdated";
            /** @description The revision that the source has now. */
            revision: number;
            /** @description Made. */
            created: string[];
            /** @description Changed. */
            updated: string[];
            /** @description As they should be already. */
            unchanged: string[];
            /** @description Pruned. */
            deleted: string[];
        };
        ScheduleTiming: {
            /** @description Five fields, minute hour day-of-month month day-of-week, or six with the second before them. This or every_ms. */
            cron?: string | null;
            /** @description The IANA name of the zone in which the expression counts. Absent: UTC. */
            time_zone?: string;
            /** @description Milliseconds between two runs, counted from starts_at, or else from 1970. This or cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this instant.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at this instant or after it.
             */
            ends_at?: string | null;
            /** @description Each run comes up to so many milliseconds late, always as late for one instant. */
            jitter_ms?: number;
            /**
             * @description What becomes of runs that fell into a gap: skip none, once one for all (default), all each.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description How many milliseconds late a run may begin. Absent: 60 000 with skip, a day with all, any with once. */
            missed_window_ms?: number | null;
            /**
             * @description skip leaves a run out while the job of the run before has not ended. Absent: allow.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        /** @description Under which key its jobs are unique; null: under none. */
        ScheduleUnique: {
            key: string;
            /** @enum {string} */
            scope: "waiting" | "live" | "window";
            window_ms: number | null;
            max_wait_ms: number | null;
            /** @enum {string} */
            on_conflict: "return" | "refuse" | "replace" | "reschedule";
        } | null;
        SendEmailPayload: {
            /** Format: email */
            to: string;
            subject: string;
            body: string;
        };
        /** @description What holds from now on, in place of what held before. */
        SetLimit: {
            /** @description The queue. */
            queue: string;
            /**
             * @description What it is about: all of the queue, a kind in it, one key in it, each key in it that has no limit of its own, or a tenant in it.
             * @enum {string}
             */
            scope: "queue" | "kind" | "key" | "each_key" | "tenant";
            /** @description Of the kind, the key or the tenant; absent for the others. */
            name?: string;
            /** @description At most so many of its jobs run at a time. */
            max_running?: number | null;
            /** @description Where so many of its jobs wait, enqueues are refused with queue_full. Counted each second. Only for queue and tenant. */
            max_waiting?: number | null;
            rate?: components["schemas"]["LimitRate"];
            /** @description Whether none of its jobs may start. Not for each_key. */
            paused?: boolean;
            /** @description The jobs of each key start one after the other, by priority, run_at and id. Only for each_key. */
            ordered?: {
                /**
                 * @description What jobs behind one that is retried do: block until it has ended, which is the default, or continue.
                 * @enum {string}
                 */
                on_retry?: "block" | "continue";
            } | null;
            /**
             * @description Tenants, or keys, take turns to start their jobs of one priority, however many wait of each. Only for queue.
             * @enum {string|null}
             */
            fair_by?: "tenant" | "key" | null;
            /** @description How many turns the tenant or key has for each of the others; null: one. Only for tenant and key. */
            weight?: number | null;
        };
        /** @description What has happened to jobs over time. */
        Stats: {
            /**
             * Format: date-time
             * @description When the first step began: no earlier than numbers are kept.
             */
            from: string;
            /**
             * Format: date-time
             * @description Where they end.
             */
            to: string;
            /** @enum {string} */
            step: "minute" | "hour" | "day";
            /** @description By time: one for each step, also where nothing has happened. Else none. */
            points: components["schemas"]["StatsPoint"][];
            total: components["schemas"]["Counts"];
            /** @description By series: each queue and kind with numbers. By queue: each queue. */
            series: components["schemas"]["StatsSeries"][];
        };
        StatsPoint: {
            /**
             * Format: date-time
             * @description When the step began.
             */
            at: string;
            /** @description Jobs that were created then, counted once a worker has got them or they were cancelled. */
            enqueued: number;
            /** @description Attempts that began. */
            started: number;
            /** @description Jobs that succeeded. */
            succeeded: number;
            /** @description Jobs that failed for good. */
            failed: number;
            /** @description Attempts that failed, or whose worker was lost, and that are tried again. */
            retried: number;
            /** @description Jobs that were cancelled. */
            cancelled: number;
            /** @description How long jobs were due before an attempt began; null where none began. */
            wait_ms: {
                /** @description Half of all took no longer, in milliseconds. */
                p50: number;
                /** @description 95 of 100 took no longer. */
                p95: number;
                /** @description 99 of 100 took no longer. */
                p99: number;
            } | null;
            /** @description How long attempts ran that ended in one of the four ways above; null where none has. */
            run_ms: {
                /** @description Half of all took no longer, in milliseconds. */
                p50: number;
                /** @description 95 of 100 took no longer. */
                p95: number;
                /** @description 99 of 100 took no longer. */
                p99: number;
            } | null;
        };
        /** @description The jobs of one queue and kind, or, by queue, of all its kinds: then kind is null. A queue that is null: all beyond the 200 queues and kinds that are kept apart. */
        StatsSeries: {
            queue: string | null;
            kind: string | null;
            /** @description Jobs that were created then, counted once a worker has got them or they were cancelled. */
            enqueued: number;
            /** @description Attempts that began. */
            started: number;
            /** @description Jobs that succeeded. */
            succeeded: number;
            /** @description Jobs that failed for good. */
            failed: number;
            /** @description Attempts that failed, or whose worker was lost, and that are tried again. */
            retried: number;
            /** @description Jobs that were cancelled. */
            cancelled: number;
            /** @description How long jobs were due before an attempt began; null where none began. */
            wait_ms: {
                /** @description Half of all took no longer, in milliseconds. */
                p50: number;
                /** @description 95 of 100 took no longer. */
                p95: number;
                /** @description 99 of 100 took no longer. */
                p99: number;
            } | null;
            /** @description How long attempts ran that ended in one of the four ways above; null where none has. */
            run_ms: {
                /** @description Half of all took no longer, in milliseconds. */
                p50: number;
                /** @description 95 of 100 took no longer. */
                p95: number;
                /** @description 99 of 100 took no longer. */
                p99: number;
            } | null;
        };
        SummarizeTextPayload: {
            text: string;
            max_sentences?: number;
        };
        SyncSchedules: {
            /** @description Whose schedules these are: a sync touches no others. */
            source: string;
            /** @description Grows with each release of the source. A sync from an older one changes nothing. */
            revision: number;
            /** @description Whether schedules of this source are deleted that are not among these. Absent: false. */
            prune?: boolean;
            schedules: components["schemas"]["CreateSchedule"][];
        };
        UndoReschedule: {
            /** @description What the reschedule has answered as `previous`. */
            jobs: {
                /**
                 * Format: uuid
                 * @description The job.
                 */
                id: string;
                /**
                 * Format: date-time
                 * @description When it could start before, to the millisecond.
                 */
                run_at: string;
                /**
                 * Format: date-time
                 * @description When it was moved: a job that was changed later is not put back.
                 */
                changed_at: string;
            }[];
        };
        UpdateSchedule: {
            /** @description Absent: as it is. */
            kind?: string;
            /** @description Absent: as it is. */
            payload?: unknown;
            /** @description The version of the kind. Absent: the newest whose schema accepts the payload. */
            version?: number;
            /** @description Absent: the kind's own queue. */
            queue?: string;
            /** @description Lower runs first. Absent: the kind's own. */
            priority?: number;
            /** @description Absent: the kind's own. */
            max_attempts?: number;
            /** @description Milliseconds that one attempt may take. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description What the job can be found by: 20 members and 4096 bytes at most. Nothing of it is masked, so it is no place for secrets. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Milliseconds from the firing: a job that has not begun by then is cancelled. */
            expires_in_ms?: number;
            /** @description What each of its jobs is the only one of. */
            unique?: {
                /** @description One job of the kind and tenant holds it at a time. */
                key: string;
                /**
                 * @description waiting: held until the first claim. live: until the job has ended. window: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description Milliseconds from the enqueue for which the key is held. With the scope window, and there alone. */
                window_ms?: number;
                /** @description With reschedule: the start moves at most so far from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, which gives the waiting job this payload and these options, and reschedule, which gives it this start.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description The key of its jobs, by which they can be limited. Absent: what the kind's own pointer finds in the payload. */
            key?: string;
            /** @description How many tokens a start of its jobs costs, of each rate. Absent: the kind's own. */
            weight?: number;
            /** @description Five fields, minute hour day-of-month month day-of-week, or six with the second before them. This or every_ms. */
            cron?: string | null;
            /** @description The IANA name of the zone in which the expression counts. Absent: UTC. */
            time_zone?: string;
            /** @description Milliseconds between two runs, counted from starts_at, or else from 1970. This or cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this instant.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at this instant or after it.
             */
            ends_at?: string | null;
            /** @description Each run comes up to so many milliseconds late, always as late for one instant. */
            jitter_ms?: number;
            /**
             * @description What becomes of runs that fell into a gap: skip none, once one for all (default), all each.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description How many milliseconds late a run may begin. Absent: 60 000 with skip, a day with all, any with once. */
            missed_window_ms?: number | null;
            /**
             * @description skip leaves a run out while the job of the run before has not ended. Absent: allow.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        WebhookDeliveryPayload: {
            /** Format: uri */
            url: string;
            /** @enum {string} */
            method?: "POST" | "PUT" | "PATCH";
            headers?: {
                [key: string]: string;
            };
            body?: unknown;
            secret_name?: string;
        };
        /** @description Why a job does not start, and what would end each reason. */
        Why: {
            /**
             * @description Its state when the reasons were read.
             * @enum {string}
             */
            status: "queued" | "running" | "succeeded" | "retrying" | "failed_permanent" | "cancelled";
            /** @description Whether nothing blocks it: it begins once what is before it has been taken. */
            claimable: boolean;
            /** @description In the order in which to look at them. */
            reasons: components["schemas"]["WhyReason"][];
            /** @description Its place and its expected start; null where something blocks it. */
            start: {
                /** @description How many waiting jobs of its queue come before it; null where that is not known. */
                place: number | null;
                /** @description How many attempts of its queue have begun in a minute in which jobs had to wait; null: none such. */
                starts_per_minute: number | null;
                /**
                 * Format: date-time
                 * @description Null where nobody can say.
                 */
                expected_at: string | null;
                /**
                 * @description Why nobody can say. not_waiting: it runs, or has ended. out_of_bounds: jobs beyond the bounds of the key may come before it. no_worker: none serves its queue. too_many_before: more than are counted. no_rate: no job of its queue had to wait in the last minutes.
                 * @enum {string|null}
                 */
                unknown: "not_waiting" | "out_of_bounds" | "queue_paused" | "no_worker" | "too_many_before" | "no_rate" | null;
            } | null;
        };
        /** @description A reason why a job does not start. */
        WhyReason: {
            /** @enum {string} */
            code: "succeeded" | "failed" | "cancelled" | "running" | "cancel_requested" | "owner_lost" | "database_read_only" | "attempts_spent" | "expired" | "not_due" | "queue_unknown" | "queue_paused" | "limit_paused" | "limit_full" | "rate_spent" | "behind_in_order" | "no_worker" | "kind_unserved" | "version_unserved" | "crash_suspect_waits" | "waits_turn" | "slots_full";
            /** @description Whether nothing takes the job while it holds. One that does not block lets it wait for longer. */
            blocking: boolean;
            /** @description What is so, in a sentence. */
            message: string;
            /** @description What ends it. */
            ends: string;
            /**
             * Format: date-time
             * @description Null where that is not known.
             */
            since: string | null;
            /**
             * Format: date-time
             * @description When it ends by itself; null where nobody can say.
             */
            until: string | null;
            /** @description What it is about; null where it is not about such a thing. */
            details: {
                /** @description Its queue. */
                queue: string | null;
                /** @description Its kind. */
                kind: string | null;
                /** @description The version of its kind. */
                version: number | null;
                /** @description How many live workers: those that can run it, or of those none can. */
                workers: number | null;
                /** @description The slots of these workers. */
                slots: number | null;
                /** @description The jobs that these workers hold; of a limit, those that run under it; of a turn, those that are due, each as often as it weighs. */
                jobs: number | null;
                /**
                 * @description What the limit is about.
                 * @enum {string|null}
                 */
                scope: "queue" | "kind" | "key" | null;
                /** @description The jobs that hold the limit: those that have run for longest, ten at most; of an order, the job that is next. Not told to a key with bounds. */
                held_by: string[] | null;
                /** @description How many jobs may run under the limit; of a turn, how many it lets start now. */
                limit: number | null;
                /** @description What workers of the queue run of the kind: invoice is its first version, invoice/2 the second. */
                runs: string[] | null;
                /** @description Other queues whose live workers can run it. Not told to a key with bounds. */
                elsewhere: string[] | null;
            };
        };
        /** @description A worker process. */
        Worker: {
            id: string;
            hostname: string;
            pid: number;
            /** @description The release that it runs. */
            version: string;
            /** @description The queues that it serves. */
            queues: string[];
            /** @description The kinds of job that it has handlers for. */
            kinds: string[];
            /** @description How many jobs it runs at once at most. */
            concurrency: number;
            /** @description How many jobs it holds now. */
            running: number;
            /**
             * @description active: it holds a lease. stopped: it has left. lost: its lease ran out.
             * @enum {string}
             */
            state: "active" | "stopped" | "lost";
            /** Format: date-time */
            started_at: string;
            /**
             * Format: date-time
             * @description When it last renewed its lease.
             */
            heartbeat_at: string;
            /**
             * Format: date-time
             * @description When its jobs are taken over unless it renews.
             */
            lease_expires_at: string;
        };
        WorkerList: {
            data: components["schemas"]["Worker"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of this request. */
        RequestId: string;
        /** @description Seconds to wait before trying again. */
        RetryAfter: number;
        /** @description For a key with a rate: r requests are left; t seconds until there are more, where none is left. */
        RateLimit: string;
        /** @description For a key with a rate: q requests in w seconds. */
        RateLimitPolicy: string;
        /** @description The media type that is accepted, after a body of another one. */
        Accept: string;
        /** @description identity, after a compressed body: only uncompressed ones are accepted. */
        AcceptEncoding: string;
        /** @description How to authenticate: Bearer. */
        WwwAuthenticate: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listJobs: {
        parameters: {
            query?: {
                /** @description The state of a job; succeeded, failed_permanent and cancelled are final. */
                status?: components["schemas"]["JobStatus"];
                /** @description The kind. */
                kind?: string;
                /** @description The queue. */
                queue?: string;
                /** @description The tenant. */
                tenant?: string;
                /** @description Jobs with this key. It is a part of the payload: this needs the permission payload:read. */
                key?: string;
                /** @description Jobs that have these members in their metadata: `metadata.order_id=4711`, or `metadata[order_id]=4711`. Texts are compared: a number is found by its digits. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Jobs created at this instant or later. */
                created_after?: string;
                /** @description Jobs created before this instant. */
                created_before?: string;
                /** @description Jobs that ended at this instant or later. */
                finished_after?: string;
                /** @description Jobs that ended before this instant. */
                finished_before?: string;
                /** @description Jobs of which an attempt failed with this cause, or with one of these, as `GET /errors` names it. Several: with commas between. */
                fingerprint?: string | string[];
                /** @description Runs of the schedule with this name. */
                schedule?: string;
                /** @description Jobs that run in the worker with this id now. */
                worker?: string;
                /** @description Jobs that run in workers of this version now. Not with a key that has bounds. */
                worker_version?: string;
                /** @description How many items a page may have. */
                limit?: number;
                /** @description The next_cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "queue": "default",
                     *           "kind": "send_email",
                     *           "kind_version": 1,
                     *           "tenant_id": null,
                     *           "key": null,
                     *           "weight": 1,
                     *           "payload": {
                     *             "to": "ada@example.com",
                     *             "subject": "Welcome",
                     *             "body": "Good to have you here."
                     *           },
                     *           "metadata": {
                     *             "order_id": 4711
                     *           },
                     *           "status": "queued",
                     *           "priority": 4,
                     *           "attempts": 0,
                     *           "max_attempts": 3,
                     *           "timeout_ms": null,
                     *           "retry_policy": null,
                     *           "crashes": 0,
                     *           "last_error": null,
                     *           "result": null,
                     *           "progress": null,
                     *           "progress_message": null,
                     *           "run_at": "2026-01-15T09:30:00.000Z",
                     *           "expires_at": null,
                     *           "locked_at": null,
                     *           "locked_by": null,
                     *           "cancel_requested": false,
                     *           "cancel_reason": null,
                     *           "idempotency_key": "welcome-ada",
                     *           "unique_key": null,
                     *           "unique_scope": null,
                     *           "trace_context": null,
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "updated_at": "2026-01-15T09:30:00.000Z",
                     *           "stripped_at": null,
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "scanned": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_cursor`: The cursor is not one that a list has returned. `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: a known key is answered with the job that it made. Use one key for each job, such as `welcome-ada`. It takes precedence over the body. */
                "idempotency-key"?: string;
                /** @description handling=strict refuses a known idempotency key with a different request (422). wait=N answers when the job has ended, at the latest after N seconds (25 at most): `handling=strict, wait=10`. */
                prefer?: string;
                /** @description A W3C trace context, as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; it travels with the job to its handler. One that is malformed is ignored. */
                traceparent?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The job. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateJob"];
            };
        };
        responses: {
            /** @description The idempotency key is known: the job that it made, as it is now. Nothing was written. Or the unique key is held: the job that holds it, as on_conflict has left it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description true when the idempotency key is known. */
                    "Idempotent-Replayed"?: string;
                    /** @description wait=N, where N is the longest wait in seconds that was applied. */
                    "Preference-Applied"?: string;
                    /** @description true when kind, queue or payload are not those of the original request. */
                    "Idempotency-Mismatch"?: string;
                    /** @description Present when the unique key is held: what was done to the job that holds it (returned, replaced, rescheduled). */
                    "Unique-Conflict"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job was enqueued. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the job. */
                    Location?: string;
                    /** @description wait=N, where N is the longest wait in seconds that was applied. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. `unparsable_body`: The body is not JSON that can be read. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `idempotency_key_locked`: Another transaction is writing a job with this idempotency key. `unique_conflict`: Another job holds the unique key. `unique_key_locked`: Another transaction is writing a job with this unique key. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_kind`: There is no such kind of job. `idempotency_mismatch`: The idempotency key belongs to a different request. `invalid_job`: The job is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `queue_full`: The queue takes no more jobs now. `too_many_waits`: Too many requests with this key wait for jobs. `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded`: Too many requests wait already. `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description With handling=strict (RFC 7240), a known idempotency key with a different request is refused with 422, and not answered with the original job. */
                prefer?: string;
                /** @description A W3C trace context, as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; it travels with the job to its handler. One that is malformed is ignored. */
                traceparent?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateJobs"];
            };
        };
        responses: {
            /** @description The jobs are enqueued, except those whose key was known. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description true when a key was known. */
                    "Idempotent-Replayed"?: string;
                    /** @description true when kind, queue or payload of one are not those of the original request. */
                    "Idempotency-Mismatch"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "queue": "default",
                     *           "kind": "send_email",
                     *           "kind_version": 1,
                     *           "tenant_id": null,
                     *           "key": null,
                     *           "weight": 1,
                     *           "payload": {
                     *             "to": "ada@example.com",
                     *             "subject": "Welcome",
                     *             "body": "Good to have you here."
                     *           },
                     *           "metadata": {
                     *             "order_id": 4711
                     *           },
                     *           "status": "queued",
                     *           "priority": 4,
                     *           "attempts": 0,
                     *           "max_attempts": 3,
                     *           "timeout_ms": null,
                     *           "retry_policy": null,
                     *           "crashes": 0,
                     *           "last_error": null,
                     *           "result": null,
                     *           "progress": null,
                     *           "progress_message": null,
                     *           "run_at": "2026-01-15T09:30:00.000Z",
                     *           "expires_at": null,
                     *           "locked_at": null,
                     *           "locked_by": null,
                     *           "cancel_requested": false,
                     *           "cancel_reason": null,
                     *           "idempotency_key": "welcome-ada",
                     *           "unique_key": null,
                     *           "unique_scope": null,
                     *           "trace_context": null,
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "updated_at": "2026-01-15T09:30:00.000Z",
                     *           "stripped_at": null,
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "replayed": [],
                     *       "conflicts": []
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedJobs"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. `unparsable_body`: The body is not JSON that can be read. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `idempotency_key_locked`: Another transaction is writing a job with this idempotency key. `unique_conflict`: Another job holds the unique key. `unique_key_locked`: Another transaction is writing a job with this unique key. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `idempotency_mismatch`: The idempotency key belongs to a different request. `invalid_job`: The job is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `queue_full`: The queue takes no more jobs now. `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobStates: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which jobs. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobStatesOf"];
            };
        };
        responses: {
            /** @description The states of those that are there. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "status": "running",
                     *           "attempts": 1,
                     *           "max_attempts": 3,
                     *           "cancel_requested": false,
                     *           "progress": 40,
                     *           "updated_at": "2026-01-15T09:30:00.431Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["JobStateSummaryList"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_body`: The body is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which jobs. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelJobs"];
            };
        };
        responses: {
            /** @description What was done, or would be. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description An operation, which workers carry out. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_body`: The body is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requeueJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which jobs. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequeueJobs"];
            };
        };
        responses: {
            /** @description What was done, or would be. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description An operation, which workers carry out. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unique_key_locked`: Another transaction is writing a job with this unique key. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_body`: The body is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rescheduleJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which jobs, and when they may start. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RescheduleJobs"];
            };
        };
        responses: {
            /** @description What was done, or would be. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description An operation, which workers carry out. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_body`: The body is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undoReschedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which jobs, and when each could start before. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoReschedule"];
            };
        };
        responses: {
            /** @description What was done, or would be. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_body`: The body is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which jobs. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteJobs"];
            };
        };
        responses: {
            /** @description What was done, or would be. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description An operation, which workers carry out. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_body`: The body is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    eraseJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which jobs. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EraseJobs"];
            };
        };
        responses: {
            /** @description What was done, or would be. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description An operation, which workers carry out. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_body`: The body is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description With wait=N (RFC 7240) the answer comes when the job has ended, at the latest after N seconds (25 at most). */
                prefer?: string;
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the job does. */
                    ETag?: string;
                    /** @description wait=N, where N is the longest wait in seconds that was applied. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    /** @description wait=N, where N is the longest wait in seconds that was applied. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_waits`: Too many requests with this key wait for jobs. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    editJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the job as it was read, or *. Required. */
                "if-match"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        /** @description What changes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditJob"];
            };
        };
        responses: {
            /** @description The job as it is now, and what was there before. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description That of the job as it is now. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *         "queue": "default",
                     *         "kind": "send_email",
                     *         "kind_version": 1,
                     *         "tenant_id": null,
                     *         "key": null,
                     *         "weight": 1,
                     *         "payload": {
                     *           "to": "ada@example.com",
                     *           "subject": "Welcome",
                     *           "body": "Good to have you here."
                     *         },
                     *         "metadata": {
                     *           "order_id": 4711
                     *         },
                     *         "status": "queued",
                     *         "priority": 0,
                     *         "attempts": 0,
                     *         "max_attempts": 3,
                     *         "timeout_ms": null,
                     *         "retry_policy": null,
                     *         "crashes": 0,
                     *         "last_error": null,
                     *         "result": null,
                     *         "progress": null,
                     *         "progress_message": null,
                     *         "run_at": "2026-01-15T09:30:00.000Z",
                     *         "expires_at": null,
                     *         "locked_at": null,
                     *         "locked_by": null,
                     *         "cancel_requested": false,
                     *         "cancel_reason": null,
                     *         "idempotency_key": "welcome-ada",
                     *         "unique_key": null,
                     *         "unique_scope": null,
                     *         "trace_context": null,
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "updated_at": "2026-01-15T09:30:00.000Z",
                     *         "stripped_at": null,
                     *         "finished_at": null
                     *       },
                     *       "previous": {
                     *         "priority": 4
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EditedJob"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. `unparsable_body`: The body is not JSON that can be read. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_transition`: The state of the job does not allow this. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_changed`: The job has changed since it was read. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_kind`: There is no such kind of job. `invalid_job`: The job is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `precondition_required`: The request has to say which version of the job it is about. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getJobEvents: {
        parameters: {
            query?: {
                /** @description Lines of this level and of those that are more severe; absent: none. */
                logs?: "debug" | "info" | "warn" | "error";
            };
            header?: {
                /** @description The id of the last event that was read; an EventSource sends it when it reconnects. */
                "last-event-id"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The job has ended, and Last-Event-ID is that of its last event. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_streams`: This key has too many streams open. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded`: Too many requests wait already. `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listExecutions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "attempt": 1,
                     *           "lease_token": 1,
                     *           "worker_id": "worker-host-4711-9f3a",
                     *           "started_at": "2026-01-15T09:30:00.012Z",
                     *           "finished_at": "2026-01-15T09:30:00.431Z",
                     *           "outcome": "failed",
                     *           "error": "Error: the mail server refused the connection",
                     *           "error_class": "Error ECONNREFUSED",
                     *           "fingerprint": "3f0c9a51d2e8b764"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ExecutionList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobLogs: {
        parameters: {
            query?: {
                /** @description Lines of this level and of those that are more severe; absent: all. */
                level?: "debug" | "info" | "warn" | "error";
                /** @description How many items a page may have. */
                limit?: number;
                /** @description The next_cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of lines. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "attempt": 1,
                     *           "lease_token": 1,
                     *           "line": 1,
                     *           "at": "2026-01-15T09:30:00.120Z",
                     *           "level": "info",
                     *           "message": "connected to the mail server",
                     *           "fields": {
                     *             "host": "smtp.example.com"
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LogList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_cursor`: The cursor is not one that a list has returned. `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getExpectedStart: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the last minutes tell. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "place": 1200,
                     *       "starts_per_minute": 600,
                     *       "expected_at": "2026-01-15T09:32:00.000Z",
                     *       "unknown": null
                     *     }
                     */
                    "application/json": components["schemas"]["ExpectedStart"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWhy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reasons; none, or none that blocks, where it is only not its turn yet. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "queued",
                     *       "claimable": false,
                     *       "reasons": [
                     *         {
                     *           "code": "queue_paused",
                     *           "blocking": true,
                     *           "message": "The queue mail is paused.",
                     *           "ends": "resume the queue",
                     *           "since": "2026-01-15T09:30:00.431Z",
                     *           "until": null,
                     *           "details": {
                     *             "queue": "mail",
                     *             "kind": null,
                     *             "version": null,
                     *             "workers": null,
                     *             "slots": null,
                     *             "jobs": null,
                     *             "scope": null,
                     *             "held_by": null,
                     *             "limit": null,
                     *             "runs": null,
                     *             "elsewhere": null
                     *           }
                     *         },
                     *         {
                     *           "code": "version_unserved",
                     *           "blocking": true,
                     *           "message": "None of the 3 live workers of the queue mail runs version 2 of the kind invoice: they run invoice.",
                     *           "ends": "a worker of the queue with a handler for the kind and its version",
                     *           "since": null,
                     *           "until": null,
                     *           "details": {
                     *             "queue": "mail",
                     *             "kind": "invoice",
                     *             "version": 2,
                     *             "workers": 3,
                     *             "slots": null,
                     *             "jobs": null,
                     *             "scope": null,
                     *             "held_by": null,
                     *             "limit": null,
                     *             "runs": [
                     *               "invoice"
                     *             ],
                     *             "elsewhere": null
                     *           }
                     *         }
                     *       ],
                     *       "start": null
                     *     }
                     */
                    "application/json": components["schemas"]["Why"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is cancelled. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "cancelled",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": true,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:31:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": "2026-01-15T09:31:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job is running; its cancel is requested. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "running",
                     *       "priority": 4,
                     *       "attempts": 1,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": "2026-01-15T09:30:00.012Z",
                     *       "locked_by": "worker-host-4711-9f3a",
                     *       "cancel_requested": true,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_transition`: The state of the job does not allow this. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requeueJob: {
        parameters: {
            query?: {
                /** @description When it is cancelled if it has not begun by then. Not together with expires_in_ms. */
                expires_at?: string;
                /** @description Milliseconds from now to the same. */
                expires_in_ms?: number;
            };
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is queued. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_transition`: The state of the job does not allow this. `unique_conflict`: Another job holds the unique key. `unique_key_locked`: Another transaction is writing a job with this unique key. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_job`: The job is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runJobNow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is due. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_transition`: The state of the job does not allow this. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    duplicateJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The other job. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Its path. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_transition`: The state of the job does not allow this. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `queue_full`: The queue takes no more jobs now. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createJobLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. Nothing was stored. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/linked-jobs/01980d3c-7a1e-7c3a-9f52-3b1f6c0de001.key-k3x9d0aq.1768470300000.vN1yq0m0e5v2uHc1Yw3q3f6m2b8t5k9p7r4s1x0zA2E",
                     *       "expires_at": "2026-01-15T09:45:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["JobLink"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `job_not_found`: There is no such job. `not_found`: There is nothing at this path. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLinkedJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description What POST /jobs/{id}/links has given. */
                link: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `bad_request`: The request is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is nothing at this path. `job_not_found`: There is no such job. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_link_reads`: The job is read too often by this link. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listErrors: {
        parameters: {
            query?: {
                /** @description The cause, or one of these. Several: with commas between. */
                fingerprint?: string | string[];
                /** @description The kind. */
                kind?: string;
                /** @description The queue. */
                queue?: string;
                /** @description The tenant. */
                tenant?: string;
                /** @description Count failures since this instant, from the beginning of its hour, and leave out groups without any. Of more than 47 hours the first step may begin earlier. With `to` alone: as long as hours are kept, 30 days. */
                from?: string;
                /** @description Count them up to this instant, with its hour. By default now. */
                to?: string;
                /** @description version: the trend in that time also of each version of the workers. By default of the cause alone. */
                by?: "cause" | "version";
                /** @description What begins the list: last (the default), what was seen last; first, what came last; count, what failed most in that time, or at all. */
                sort?: "last" | "first" | "count";
                /** @description How many items a page may have. */
                limit?: number;
                /** @description The next_cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of groups. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "fingerprint": "3f0c9a51d2e8b764",
                     *           "tenant_id": null,
                     *           "queue": "mail",
                     *           "kind": "send_email",
                     *           "error_class": "Error ECONNREFUSED",
                     *           "count": 1,
                     *           "first_seen_at": "2026-01-15T09:30:00.431Z",
                     *           "last_seen_at": "2026-01-15T09:30:00.431Z",
                     *           "first_version": "1.4.0",
                     *           "worker_versions": [
                     *             "1.4.0"
                     *           ],
                     *           "sample_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "sample_error": "Error: the mail server refused the connection",
                     *           "in_range": {
                     *             "count": 1,
                     *             "share": 0.25,
                     *             "trend": [
                     *               0,
                     *               1
                     *             ],
                     *             "versions": []
                     *           }
                     *         }
                     *       ],
                     *       "range": {
                     *         "from": "2026-01-15T08:00:00.000Z",
                     *         "to": "2026-01-15T09:30:40.000Z",
                     *         "step_ms": 3600000
                     *       },
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_cursor`: The cursor is not one that a list has returned. `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description The kind. */
                kind?: string;
                /** @description The queue. */
                queue?: string;
                /** @description The cause of the last failure, or one of these: see GET /errors. Several: with commas between. */
                fingerprint?: string | string[];
                /** @description The tenant. */
                tenant?: string;
                /** @description Dead letters made at this instant or later. */
                dead_lettered_after?: string;
                /** @description Dead letters made before this instant. */
                dead_lettered_before?: string;
                /** @description How many items a page may have. */
                limit?: number;
                /** @description The next_cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of dead letters. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5f0c6b0e-2f0e-4f57-9d2c-6a1f3f1d7c11",
                     *           "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "queue": "default",
                     *           "kind": "send_email",
                     *           "kind_version": 1,
                     *           "tenant_id": null,
                     *           "key": null,
                     *           "weight": 1,
                     *           "payload": {
                     *             "to": "ada@example.com",
                     *             "subject": "Welcome",
                     *             "body": "Good to have you here."
                     *           },
                     *           "metadata": {
                     *             "order_id": 4711
                     *           },
                     *           "priority": 4,
                     *           "attempts": 1,
                     *           "max_attempts": 1,
                     *           "crashes": 0,
                     *           "last_error": "Error: the mail server refused the connection",
                     *           "idempotency_key": "welcome-ada",
                     *           "fingerprint": "3f0c9a51d2e8b764",
                     *           "execution_history": [
                     *             {
                     *               "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *               "attempt": 1,
                     *               "lease_token": 1,
                     *               "worker_id": "worker-host-4711-9f3a",
                     *               "started_at": "2026-01-15T09:30:00.012Z",
                     *               "finished_at": "2026-01-15T09:30:00.431Z",
                     *               "outcome": "failed",
                     *               "error": "Error: the mail server refused the connection",
                     *               "error_class": "Error ECONNREFUSED",
                     *               "fingerprint": "3f0c9a51d2e8b764"
                     *             }
                     *           ],
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "dead_lettered_at": "2026-01-15T09:30:00.431Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["DeadLetterList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_cursor`: The cursor is not one that a list has returned. `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requeueDeadLetters: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which dead letters. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequeueDeadLetters"];
            };
        };
        responses: {
            /** @description What was done, or would be. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description An operation, which workers carry out. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unique_key_locked`: Another transaction is writing a job with this unique key. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_body`: The body is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the dead letter. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dead letter. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c6b0e-2f0e-4f57-9d2c-6a1f3f1d7c11",
                     *       "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "priority": 4,
                     *       "attempts": 1,
                     *       "max_attempts": 1,
                     *       "crashes": 0,
                     *       "last_error": "Error: the mail server refused the connection",
                     *       "idempotency_key": "welcome-ada",
                     *       "fingerprint": "3f0c9a51d2e8b764",
                     *       "execution_history": [
                     *         {
                     *           "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "attempt": 1,
                     *           "lease_token": 1,
                     *           "worker_id": "worker-host-4711-9f3a",
                     *           "started_at": "2026-01-15T09:30:00.012Z",
                     *           "finished_at": "2026-01-15T09:30:00.431Z",
                     *           "outcome": "failed",
                     *           "error": "Error: the mail server refused the connection",
                     *           "error_class": "Error ECONNREFUSED",
                     *           "fingerprint": "3f0c9a51d2e8b764"
                     *         }
                     *       ],
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "dead_lettered_at": "2026-01-15T09:30:00.431Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `dead_letter_not_found`: There is no such dead letter. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the dead letter. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dead letter is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `dead_letter_not_found`: There is no such dead letter. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requeueDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the dead letter. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is queued. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `dead_letter_not_found`: There is no such dead letter. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unique_conflict`: Another job holds the unique key. `unique_key_locked`: Another transaction is writing a job with this unique key. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOperations: {
        parameters: {
            query?: {
                /** @description Operations in this state. */
                state?: "running" | "succeeded" | "cancelled" | "refused" | "failed";
                /** @description How many items a page may have. */
                limit?: number;
                /** @description The next_cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of operations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *           "act": "cancel",
                     *           "filter": {
                     *             "queue": "mail"
                     *           },
                     *           "run_at": null,
                     *           "rate": null,
                     *           "state": "running",
                     *           "expected": 100000,
                     *           "expected_is_least": true,
                     *           "changed": 12500,
                     *           "skipped": 0,
                     *           "reason": null,
                     *           "actor": "keyaudit",
                     *           "actor_name": "shop",
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["OperationList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_cursor`: The cursor is not one that a list has returned. `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *       "act": "cancel",
                     *       "filter": {
                     *         "queue": "mail"
                     *       },
                     *       "run_at": null,
                     *       "rate": null,
                     *       "state": "running",
                     *       "expected": 100000,
                     *       "expected_is_least": true,
                     *       "changed": 12500,
                     *       "skipped": 0,
                     *       "reason": null,
                     *       "actor": "keyaudit",
                     *       "actor_name": "shop",
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `operation_not_found`: There is no such operation. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *       "act": "cancel",
                     *       "filter": {
                     *         "queue": "mail"
                     *       },
                     *       "run_at": null,
                     *       "rate": null,
                     *       "state": "cancelled",
                     *       "expected": 100000,
                     *       "expected_is_least": true,
                     *       "changed": 12500,
                     *       "skipped": 0,
                     *       "reason": null,
                     *       "actor": "keyaudit",
                     *       "actor_name": "shop",
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "finished_at": "2026-01-15T09:31:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `operation_not_found`: There is no such operation. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description Those of this source. */
                source?: string;
                /** @description Those of this kind. */
                kind?: string;
                /** @description How many items a page may have. */
                limit?: number;
                /** @description The next_cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of schedules. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "nightly-report",
                     *           "source": "",
                     *           "revision": 0,
                     *           "kind": "send_email",
                     *           "kind_version": 1,
                     *           "payload": {
                     *             "to": "ada@example.com",
                     *             "subject": "Report",
                     *             "body": "It is attached."
                     *           },
                     *           "queue": "default",
                     *           "priority": 4,
                     *           "max_attempts": 3,
                     *           "timeout_ms": null,
                     *           "unique": null,
                     *           "key": null,
                     *           "weight": 1,
                     *           "retry_policy": null,
                     *           "metadata": null,
                     *           "expires_in_ms": null,
                     *           "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *           "cron": "0 2 * * 1-5",
                     *           "time_zone": "Europe/Berlin",
                     *           "every_ms": null,
                     *           "starts_at": null,
                     *           "ends_at": null,
                     *           "jitter_ms": 0,
                     *           "missed": "once",
                     *           "missed_window_ms": null,
                     *           "overlap": "skip",
                     *           "paused_at": null,
                     *           "paused_reason": null,
                     *           "next_run_at": "2026-01-16T01:00:00.000Z",
                     *           "last_run_at": "2026-01-15T01:00:00.000Z",
                     *           "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "fired_count": 12,
                     *           "missed_count": 0,
                     *           "skipped_count": 1,
                     *           "created_at": "2026-01-01T09:30:00.000Z",
                     *           "updated_at": "2026-01-01T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ScheduleList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_cursor`: The cursor is not one that a list has returned. `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The schedule. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSchedule"];
            };
        };
        responses: {
            /** @description The schedule was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the schedule. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": null,
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_exists`: There is another schedule with this name. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_kind`: There is no such kind of job. `invalid_schedule`: The schedule is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewTiming: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The timing. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleTiming"];
            };
        };
        responses: {
            /** @description The next instants, and the timing in words. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "instants": [
                     *         "2026-01-16T01:00:00.000Z",
                     *         "2026-01-19T01:00:00.000Z"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SchedulePreview"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_schedule`: The schedule is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    syncSchedules: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The schedules of the source. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncSchedules"];
            };
        };
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "synced",
                     *       "revision": 42,
                     *       "created": [
                     *         "nightly-report"
                     *       ],
                     *       "updated": [],
                     *       "unchanged": [],
                     *       "deleted": []
                     *     }
                     */
                    "application/json": components["schemas"]["ScheduleSyncReport"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_exists`: There is another schedule with this name. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_kind`: There is no such kind of job. `invalid_schedule`: The schedule is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": null,
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_not_found`: There is no such schedule. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_not_found`: There is no such schedule. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        /** @description What changes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSchedule"];
            };
        };
        responses: {
            /** @description The schedule as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": null,
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_not_found`: There is no such schedule. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_kind`: There is no such kind of job. `invalid_schedule`: The schedule is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule is paused. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": "2026-01-15T09:30:00.000Z",
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_not_found`: There is no such schedule. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule fires. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": null,
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_not_found`: There is no such schedule. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runScheduleNow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: a known key is answered with the job that it made. Use one key for each job, such as `welcome-ada`. It takes precedence over the body. */
                "idempotency-key"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The idempotency key is known: the job that it made. Nothing was written. Or the unique key of its jobs is held: the job that holds it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description true when the idempotency key is known. */
                    "Idempotent-Replayed"?: string;
                    /** @description Present when the unique key is held: what was done to the job that holds it (returned, replaced, rescheduled). */
                    "Unique-Conflict"?: string;
                    /** @description true when kind, queue or payload are not those of the original request. */
                    "Idempotency-Mismatch"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job was enqueued. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the job. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_not_found`: There is no such schedule. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_overlaps`: The last job of the schedule has not ended. `idempotency_key_locked`: Another transaction is writing a job with this idempotency key. `unique_conflict`: Another job holds the unique key. `unique_key_locked`: Another transaction is writing a job with this unique key. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_schedule`: The schedule is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `queue_full`: The queue takes no more jobs now. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next instants, and the timing in words. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "instants": [
                     *         "2026-01-16T01:00:00.000Z",
                     *         "2026-01-19T01:00:00.000Z"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SchedulePreview"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `schedule_not_found`: There is no such schedule. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listQueues: {
        parameters: {
            query?: {
                /** @description How many items a page may have. */
                limit?: number;
                /** @description The next_cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of queues. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "default",
                     *           "paused_at": null,
                     *           "depth": {
                     *             "queued": 120,
                     *             "retrying": 3,
                     *             "running": 8
                     *           },
                     *           "ready": 120,
                     *           "newly_ready": 120,
                     *           "oldest_ready_seconds": 0.42,
                     *           "workers": 2
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["QueueList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_cursor`: The cursor is not one that a list has returned. `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listQueueKeys: {
        parameters: {
            query?: {
                /** @description How many keys are wanted. */
                limit?: number;
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, those with the most waiting jobs first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "key": "customer-42",
                     *           "tenant_id": null,
                     *           "waiting": 1000,
                     *           "waiting_is_least": true,
                     *           "waiting_estimate": 812000,
                     *           "running": 5,
                     *           "oldest_ready_seconds": 93.5,
                     *           "state": "full",
                     *           "paused_at": null,
                     *           "max_running": 5,
                     *           "rate_opens_at": null,
                     *           "is_ordered": false,
                     *           "has_limit": false
                     *         }
                     *       ],
                     *       "is_complete": false
                     *     }
                     */
                    "application/json": components["schemas"]["QueueKeyList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue is paused. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "default",
                     *       "paused_at": "2026-01-15T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["QueueState"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `queue_not_found`: There is no such queue. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue is open. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "default",
                     *       "paused_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["QueueState"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `queue_not_found`: There is no such queue. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    purgeQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        /** @description How. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurgeQueue"];
            };
        };
        responses: {
            /** @description What was done, or would be. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description An operation, which workers carry out. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `queue_not_found`: There is no such queue. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_body`: The body is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStats: {
        parameters: {
            query?: {
                /** @description The queue. */
                queue?: string;
                /** @description The kind. */
                kind?: string;
                /** @description The tenant. */
                tenant?: string;
                /** @description From the step that holds this instant. By default an hour of minutes, a day of hours, or 30 days of days. */
                from?: string;
                /** @description Up to this instant. By default now. */
                to?: string;
                /** @description How far each point reaches: minute (the default), hour or day, in UTC. */
                step?: "minute" | "hour" | "day";
                /** @description What the numbers are added up by: time (the default) gives points; queue gives each queue, and series each queue and kind, over the whole time, for which it reads many times as much. */
                by?: "time" | "series" | "queue";
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-01-15T09:30:00.000Z",
                     *       "to": "2026-01-15T09:30:40.000Z",
                     *       "step": "minute",
                     *       "points": [
                     *         {
                     *           "at": "2026-01-15T09:30:00.000Z",
                     *           "enqueued": 1,
                     *           "started": 1,
                     *           "succeeded": 1,
                     *           "failed": 0,
                     *           "retried": 0,
                     *           "cancelled": 0,
                     *           "wait_ms": {
                     *             "p50": 12.41,
                     *             "p95": 12.41,
                     *             "p99": 12.41
                     *           },
                     *           "run_ms": {
                     *             "p50": 340.2,
                     *             "p95": 340.2,
                     *             "p99": 340.2
                     *           }
                     *         }
                     *       ],
                     *       "total": {
                     *         "enqueued": 1,
                     *         "started": 1,
                     *         "succeeded": 1,
                     *         "failed": 0,
                     *         "retried": 0,
                     *         "cancelled": 0,
                     *         "wait_ms": {
                     *           "p50": 12.41,
                     *           "p95": 12.41,
                     *           "p99": 12.41
                     *         },
                     *         "run_ms": {
                     *           "p50": 340.2,
                     *           "p95": 340.2,
                     *           "p99": 340.2
                     *         }
                     *       },
                     *       "series": []
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `out_of_scope`: The caller is bound to other tenants, queues or kinds. `forbidden`: The caller lacks a permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAttention: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What there is; nothing is a good sign. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "condition": "queue_unserved",
                     *           "severity": "critical",
                     *           "queue": "mail",
                     *           "kind": null,
                     *           "count": 41,
                     *           "count_is_capped": false,
                     *           "since": "2026-01-15T09:30:00.431Z",
                     *           "ends": "a worker that serves the queue",
                     *           "runbook": "queue-unserved"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AttentionList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDiagnosis: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The findings, also where they are bad. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "schema": "queue",
                     *       "status": "failure",
                     *       "checked_at": "2026-01-15T09:30:00.431Z",
                     *       "findings": [
                     *         {
                     *           "check": "orphaned_jobs",
                     *           "status": "failure",
                     *           "message": "3 jobs running without an active worker, the oldest claimed 2 h ago: nobody recovers them",
                     *           "cure": "start a worker: it takes them over at once"
                     *         },
                     *         {
                     *           "check": "schema_version",
                     *           "status": "ok",
                     *           "message": "version 1, this release 1",
                     *           "cure": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Diagnosis"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLimits: {
        parameters: {
            query?: {
                /** @description Those of this queue. */
                queue?: string;
                /** @description Those of this scope. */
                scope?: "queue" | "kind" | "key" | "each_key" | "tenant";
                /** @description Those of the kind, the key or the tenant of this name. */
                name?: string;
                /** @description How many items a page may have. */
                limit?: number;
                /** @description The next_cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of limits. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "queue": "default",
                     *           "scope": "each_key",
                     *           "name": null,
                     *           "max_running": 5,
                     *           "max_waiting": null,
                     *           "rate": null,
                     *           "ordered": null,
                     *           "fair_by": null,
                     *           "weight": null,
                     *           "paused_at": null,
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "updated_at": "2026-01-15T09:30:00.000Z",
                     *           "running": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LimitList"];
                };
            };
            /** @description `invalid_cursor`: The cursor is not one that a list has returned. `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setLimit: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The limit. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetLimit"];
            };
        };
        responses: {
            /** @description The limit holds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "queue": "default",
                     *       "scope": "each_key",
                     *       "name": null,
                     *       "max_running": 5,
                     *       "max_waiting": null,
                     *       "rate": null,
                     *       "ordered": null,
                     *       "fair_by": null,
                     *       "weight": null,
                     *       "paused_at": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Limit"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_limit`: The limit is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteLimit: {
        parameters: {
            query: {
                /** @description The queue. */
                queue: string;
                /** @description What it is about: all of the queue, a kind in it, one key in it, each key in it that has no limit of its own, or a tenant in it. */
                scope: "queue" | "kind" | "key" | "each_key" | "tenant";
                /** @description Of the kind, the key or the tenant; absent for the others. */
                name?: string;
            };
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limit is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `limit_not_found`: There is no such limit. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_limit`: The limit is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkers: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "worker-host-4711-9f3a",
                     *           "hostname": "host",
                     *           "pid": 4711,
                     *           "version": "0.1.0",
                     *           "queues": [
                     *             "default"
                     *           ],
                     *           "kinds": [
                     *             "send_email"
                     *           ],
                     *           "concurrency": 4,
                     *           "running": 1,
                     *           "state": "active",
                     *           "started_at": "2026-01-15T09:00:00.000Z",
                     *           "heartbeat_at": "2026-01-15T09:30:00.000Z",
                     *           "lease_expires_at": "2026-01-15T09:30:30.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WorkerList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listKinds: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kinds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "kind": "send_invoice",
                     *           "description": "Sends an invoice by mail.",
                     *           "versions": [
                     *             2,
                     *             1
                     *           ],
                     *           "source": "registered",
                     *           "retired_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["KindList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    registerKinds: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The kinds. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterKinds"];
            };
        };
        responses: {
            /** @description What became of each, in the order of the request. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "kind": "send_invoice",
                     *           "version": 1,
                     *           "outcome": "new",
                     *           "changed_paths": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RegisteredKinds"];
                };
            };
            /** @description `bad_request`: The request is malformed. `unparsable_body`: The body is not JSON that can be read. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `kind_conflict`: Jobs of this version were made by another schema. `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body is of an unsupported media type. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    Accept: components["headers"]["Accept"];
                    "Accept-Encoding": components["headers"]["AcceptEncoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_kind`: A kind is not valid. `invalid_job`: The job is not valid. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_bytes`: Requests with this key have too many bytes under way. `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getKind: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the kind. */
                kind: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kind. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "send_invoice",
                     *       "versions": [
                     *         {
                     *           "version": 1,
                     *           "source": "registered",
                     *           "payload_schema": {
                     *             "type": "object",
                     *             "properties": {
                     *               "invoice_id": {
                     *                 "type": "string"
                     *               },
                     *               "email": {
                     *                 "type": "string"
                     *               }
                     *             },
                     *             "required": [
                     *               "invoice_id",
                     *               "email"
                     *             ],
                     *             "additionalProperties": false
                     *           },
                     *           "defaults": {
                     *             "queue": "default",
                     *             "priority": 4,
                     *             "max_attempts": 3
                     *           },
                     *           "description": "Sends an invoice by mail.",
                     *           "sensitive": [
                     *             "/email"
                     *           ],
                     *           "live_workers": 2,
                     *           "registered_by": "worker-host",
                     *           "registered_at": "2026-01-15T09:00:00.000Z",
                     *           "last_seen_at": "2026-01-15T09:00:00.000Z",
                     *           "retired_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Kind"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `kind_not_found`: There is no such kind. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retireKind: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The name of the kind. */
                kind: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kind is retired. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `kind_not_found`: There is no such kind. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one. */
                "queue-tenant"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "anyone",
                     *       "key_id": null,
                     *       "name": null,
                     *       "permissions": [
                     *         "jobs:enqueue",
                     *         "jobs:read",
                     *         "jobs:control",
                     *         "jobs:edit",
                     *         "jobs:delete",
                     *         "payload:read",
                     *         "dead_letters:read",
                     *         "dead_letters:requeue",
                     *         "dead_letters:delete",
                     *         "queues:control",
                     *         "limits:write",
                     *         "schedules:read",
                     *         "schedules:control",
                     *         "schedules:write",
                     *         "ops:read",
                     *         "kinds:read",
                     *         "kinds:write",
                     *         "keys:read",
                     *         "keys:revoke",
                     *         "audit:read"
                     *       ],
                     *       "tenant_id": null,
                     *       "queues": null,
                     *       "kinds": null,
                     *       "rate": null
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `issuer_unavailable`: The issuer of the token cannot be asked for its keys. `database_unavailable`: The database cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "k3x9d0aq",
                     *           "name": "shop",
                     *           "role": "enqueue",
                     *           "permissions": [],
                     *           "rate": {
                     *             "count": 600,
                     *             "per_seconds": 60,
                     *             "burst": 100
                     *           },
                     *           "tenant_id": null,
                     *           "queues": null,
                     *           "kinds": null,
                     *           "replaces": null,
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "expires_at": null,
                     *           "last_used_at": "2026-01-15T10:00:00.000Z",
                     *           "revoked_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The id of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. `foreign_origin`: The request comes from a page of another site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_not_found`: There is no such key. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `refused`: The database does not allow this change. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Entries of this key, by its id, of this subject, or of this role of the database; or token, or anyone. */
                actor?: string;
                /** @description Entries of this act. */
                act?: "job.cancel" | "job.requeue" | "job.reschedule" | "job.run_now" | "job.duplicate" | "job.edit" | "job.delete" | "job.erase" | "operation.cancel" | "dead_letter.requeue" | "dead_letter.delete" | "queue.pause" | "queue.resume" | "queue.purge" | "limit.set" | "limit.delete" | "schedule.create" | "schedule.update" | "schedule.delete" | "schedule.pause" | "schedule.resume" | "schedule.run_now" | "schedule.sync" | "kind.register" | "kind.retire" | "key.create" | "key.rotate" | "key.revoke";
                /** @description Entries about this job. */
                job_id?: string;
                /** @description Entries of actors that were held to this tenant. */
                tenant?: string;
                /** @description Acts at or after this instant. */
                from?: string;
                /** @description Acts before this instant. */
                to?: string;
                /** @description How many items a page may have. */
                limit?: number;
                /** @description The next_cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an earlier answer. */
                "if-none-match"?: string;
                /** @description With max-age=N the answer may be N seconds old, 5 at most: those who poll share one read of the database. Without it the answer is as of now. */
                "cache-control"?: string;
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the audit log. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes whenever the answer does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5f0c2a51-3f0e-4c4d-9a57-0e1a3f6c9b11",
                     *           "at": "2026-01-15T09:31:00.000Z",
                     *           "act": "job.cancel",
                     *           "actor_type": "key",
                     *           "actor": "k3x9d0aq",
                     *           "actor_name": "shop",
                     *           "database_role": "queue_api",
                     *           "tenant_id": null,
                     *           "address": "10.0.4.7",
                     *           "request_id": "0b1f1c62-7c0e-4f57-8f0e-6d1f6a0f3a55",
                     *           "count": 1,
                     *           "target": null,
                     *           "filter": null,
                     *           "job_ids": [
                     *             "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            /** @description The answer is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_cursor`: The cursor is not one that a list has returned. `bad_request`: The request is malformed. `invalid_query`: A query parameter is not valid. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `database_unavailable`: The database cannot be reached. `schema_mismatch`: The database schema does not fit this release. `issuer_unavailable`: The issuer of the token cannot be asked for its keys. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    livez: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process answers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "alive"
                     *     }
                     */
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            /** @description `bad_request`: The request is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server is ready. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "checks": {
                     *         "process": "running",
                     *         "database": "up",
                     *         "schema": "compatible",
                     *         "writes": "accepted"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description `bad_request`: The request is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_ready`: The server is not ready. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server is ready. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "checks": {
                     *         "process": "running",
                     *         "database": "up",
                     *         "schema": "compatible",
                     *         "writes": "accepted"
                     *       },
                     *       "uptime_seconds": 86400
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description `bad_request`: The request is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_ready`: The server is not ready. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description `bad_request`: The request is malformed. `invalid_header`: A header is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: A valid bearer token is needed. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`: The caller lacks a permission. `out_of_scope`: The caller is bound to other tenants, queues or kinds. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: More requests with this key than its rate allows. `too_many_unknown_keys`: Too many keys from this address are none; send one that exists, and fewer that do not. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `issuer_unavailable`: The issuer of the token cannot be asked for its keys. `database_unavailable`: The database cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description `bad_request`: The request is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    docsAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path: {
                /** @description The file. */
                asset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description What If-None-Match may name the next time. */
                    ETag?: string;
                    /** @description Since when the file is as it is. */
                    "Last-Modified"?: string;
                    /** @description none: a file comes whole. */
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The file is the one that If-None-Match names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description What If-None-Match may name the next time. */
                    ETag?: string;
                    /** @description Since when the file is as it is. */
                    "Last-Modified"?: string;
                    /** @description none: a file comes whole. */
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`: The request is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is nothing at this path. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openApiDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of your own for this request, to find it in logs. */
                "x-request-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description `bad_request`: The request is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_acceptable`: The answer has none of the accepted media types. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_host`: This server does not answer to the host of the request. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something went wrong on the server. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `timeout`: The answer took too long. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
