-- checksum 7ad9cded7922a39bfd5bd2f09f617e70a1b080f00aa10a9e6028891c36e30232, statements 2d6dbe99da099852
-- True until the first command: the simulation runs while people follow the building, and pauses otherwise. Existing
-- rows get false, since each was created by a command.
alter table simulations add column automatic boolean not null default false;
