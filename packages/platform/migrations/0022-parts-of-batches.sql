-- Batches have a new format. An earlier version, which cannot read it, refuses a database with this migration.
comment on column observation_batches.data is 'observations in the order of arrival, in one or more parts';
