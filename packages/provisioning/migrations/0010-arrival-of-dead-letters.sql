-- When the broker received the message: the time of its observations that have no timestamp. Sent again, the letter stores
-- the same instants. The first failure of older letters is a moment after their arrival.
alter table dead_letters add column arrived_at timestamptz;
update dead_letters set arrived_at = first_failed_at;
alter table dead_letters alter column arrived_at set not null;
