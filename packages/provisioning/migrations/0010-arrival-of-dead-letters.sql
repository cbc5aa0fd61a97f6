-- checksum 5d6b1a3ef28c6478f1e4d8a42827cf2a4b0cbd66cb1045e15732fa3dda29974e, statements 60074ea1f07111ae
-- When the message was received. Observations without a timestamp get this time, also when the message is resent.
-- Existing dead letters get the time of their first failure, which was shortly after they were received.
alter table dead_letters add column arrived_at timestamptz;
update dead_letters set arrived_at = first_failed_at;
alter table dead_letters alter column arrived_at set not null;
